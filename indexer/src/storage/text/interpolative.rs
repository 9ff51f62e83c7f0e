//! Growing lists of numbers, packed by interpolation: the middle one is written in as many bits as the room
//! between its neighbours asks for, then each half. A list without gaps takes no bits at all, clusters take
//! few, and numbers picked at random come near the least possible.

/// Appends bits, lowest first.
#[derive(Debug, Default)]
pub struct BitWriter {
    pub bytes: Vec<u8>,
    waiting: u64,
    held: u32,
}

impl BitWriter {
    /// At most 32 bits at once.
    #[inline]
    pub fn put(&mut self, value: u32, width: u32) {
        self.waiting |= u64::from(value) << self.held;
        self.held += width;
        if self.held >= 32 {
            self.bytes.extend_from_slice(&(self.waiting as u32).to_le_bytes());
            self.waiting >>= 32;
            self.held -= 32;
        }
    }

    /// Ends on a whole byte.
    pub fn align(&mut self) {
        let length = self.held.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.waiting.to_le_bytes()[..length]);
        (self.waiting, self.held) = (0, 0);
    }
}

/// Reads bits; past the end they are zero.
#[derive(Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader::at_bit(bytes, 0)
    }

    /// From a bit of the bytes on.
    pub fn at_bit(bytes: &'a [u8], bit: usize) -> BitReader<'a> {
        BitReader { bytes, bit }
    }

    /// At most 32 bits at once.
    #[inline]
    pub fn take(&mut self, width: u32) -> u32 {
        let value = self.next() & ((1 << width) - 1);
        self.bit += width as usize;
        value as u32
    }

    /// The next bits, 57 of them at least.
    #[inline]
    fn next(&self) -> u64 {
        let rest = self.bytes.get(self.bit / 8..).unwrap_or_default();
        rest.first_chunk().map_or_else(|| last(rest), |word| u64::from_le_bytes(*word)) >> (self.bit % 8)
    }
}

/// The last bytes, which are fewer than a word has.
#[cold]
fn last(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Appends a list of growing numbers, all of them below `universe`.
pub fn write(numbers: &[u32], universe: u32, bits: &mut BitWriter) {
    if !numbers.is_empty() {
        write_between(numbers, 0, universe - 1, bits);
    }
}

fn write_between(numbers: &[u32], low: u32, high: u32, bits: &mut BitWriter) {
    // Every number's place is known where there is one for each.
    if (high - low) as usize + 1 == numbers.len() {
        return;
    }
    let middle = numbers.len() / 2;
    let number = numbers[middle];
    // So many numbers lie below and above it, which narrows where it can be.
    let least = low + middle as u32;
    let most = high - (numbers.len() - 1 - middle) as u32;
    write_below(number - least, most - least, bits);
    if middle > 0 {
        write_between(&numbers[..middle], low, number - 1, bits);
    }
    if middle + 1 < numbers.len() {
        write_between(&numbers[middle + 1..], number + 1, high, bits);
    }
}

/// A number from 0 to `most`: the smaller ones take a bit less where the range is no power of two.
#[inline]
fn write_below(number: u32, most: u32, bits: &mut BitWriter) {
    let (width, short) = widths(most);
    if u64::from(number) < short {
        bits.put(number, width - 1);
    } else {
        let number = u64::from(number) + short;
        bits.put((number >> 1) as u32, width - 1);
        bits.put((number & 1) as u32, 1);
    }
}

/// Bits of the longer form, and how many numbers have the shorter one.
#[inline]
fn widths(most: u32) -> (u32, u64) {
    let count = u64::from(most) + 1;
    let width = 64 - (count - 1).leading_zeros();
    (width.max(1), (1 << width.max(1)) - count)
}

/// Which form a number has is no better than a guess, so both are made and one is taken, without a branch.
#[inline]
fn read_below(most: u32, bits: &mut BitReader<'_>) -> u32 {
    let (width, short) = widths(most);
    let next = bits.next();
    let number = next & ((1 << (width - 1)) - 1);
    let is_long = number >= short;
    bits.bit += (width - 1) as usize + usize::from(is_long);
    let long = (number << 1 | next >> (width - 1) & 1).wrapping_sub(short);
    (if is_long { long } else { number }).min(u64::from(most)) as u32
}

/// Reads `count` numbers below `universe`. Bytes that are damaged give other numbers, growing all the same.
pub fn read(bits: &mut BitReader<'_>, count: usize, universe: u32) -> Vec<u32> {
    let mut numbers = vec![0; count.min(universe as usize)];
    if !numbers.is_empty() {
        read_between(&mut numbers, 0, universe - 1, bits);
    }
    numbers
}

fn read_between(numbers: &mut [u32], low: u32, high: u32, bits: &mut BitReader<'_>) {
    // Most numbers stand in the last parts, which are read without dividing them on.
    match numbers {
        [number] => {
            *number = low + read_below(high - low, bits);
            return;
        }
        [below, middle] => {
            *middle = low + 1 + read_below(high - low - 1, bits);
            *below = low + read_below(*middle - 1 - low, bits);
            return;
        }
        [below, middle, above] => {
            *middle = low + 1 + read_below(high - low - 2, bits);
            *below = low + read_below(*middle - 1 - low, bits);
            *above = *middle + 1 + read_below(high - *middle - 1, bits);
            return;
        }
        _ => {}
    }
    if (high - low) as usize + 1 == numbers.len() {
        numbers.iter_mut().zip(low..).for_each(|(number, value)| *number = value);
        return;
    }
    let middle = numbers.len() / 2;
    let least = low + middle as u32;
    let most = high - (numbers.len() - 1 - middle) as u32;
    let number = least + read_below(most - least, bits);
    numbers[middle] = number;
    let (below, above) = numbers.split_at_mut(middle);
    read_between(below, low, number - 1, bits);
    if above.len() > 1 {
        read_between(&mut above[1..], number + 1, high, bits);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_read_back(numbers in prop::collection::btree_set(0..3_000_u32, 0..900), more in 0..2_000_u32) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let universe = numbers.last().map_or(1, |last| last + 1) + more;
            let mut bits = BitWriter::default();
            bits.put(5, 3);
            write(&numbers, universe, &mut bits);
            bits.align();
            let mut reader = BitReader::at_bit(&bits.bytes, 3);
            prop_assert_eq!(read(&mut reader, numbers.len(), universe), numbers);
        }

        #[test]
        fn damage_gives_growing_numbers(bytes in prop::collection::vec(any::<u8>(), 0..40), universe in 1..5_000_u32, count in 0..6_000_usize) {
            let numbers = read(&mut BitReader::new(&bytes), count, universe);
            prop_assert!(numbers.is_sorted_by(|one, next| one < next));
            prop_assert!(numbers.last().is_none_or(|&last| last < universe));
        }
    }

    #[test]
    fn a_list_without_gaps_takes_nothing() {
        let mut bits = BitWriter::default();
        write(&(0..1_000).collect::<Vec<_>>(), 1_000, &mut bits);
        bits.align();
        assert!(bits.bytes.is_empty());
    }
}
