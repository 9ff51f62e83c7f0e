//! A set of bytes, for the analysis of patterns.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) const NONE: ByteSet = ByteSet([0; 4]);
    pub(super) const ALL: ByteSet = ByteSet([u64::MAX; 4]);
    /// Every byte that is not ASCII.
    pub(super) const HIGH: ByteSet = ByteSet([0, 0, u64::MAX, u64::MAX]);

    pub(super) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == ByteSet::NONE
    }

    pub(super) fn or(self, other: ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub(super) fn and(self, other: ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    pub(super) fn not(self) -> ByteSet {
        ByteSet(self.0.map(|word| !word))
    }

    pub(super) fn is_disjoint(self, other: ByteSet) -> bool {
        self.and(other).is_empty()
    }

    pub(super) fn is_within(self, other: ByteSet) -> bool {
        self.and(other.not()).is_empty()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    /// A lookup table for loops over text.
    pub(super) fn table(self) -> Box<[bool; 256]> {
        Box::new(std::array::from_fn(|byte| self.contains(byte as u8)))
    }
}
