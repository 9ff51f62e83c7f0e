//! Integers in the narrowest width that holds the largest of them.

/// A width that numbers are packed in.
pub trait Code: Copy + Into<u64> + Send + Sync + PartialEq + PartialOrd {
    /// The number in this width, which holds it.
    fn from_number(number: u64) -> Self;
    /// The wrapping distance to another number.
    #[must_use]
    fn above(self, other: Self) -> Self;
}

macro_rules! widths {
    ($($width:ident)+) => { $(
        impl Code for $width {
            fn from_number(number: u64) -> $width {
                number as $width
            }

            #[inline]
            fn above(self, other: $width) -> $width {
                self.wrapping_sub(other)
            }
        }
    )+ };
}
widths!(u8 u16 u32 u64);

#[derive(Clone, Debug, PartialEq)]
pub enum Packed {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

/// Instantiates the same code for each width, so that its loops know the width.
#[macro_export]
macro_rules! with_codes {
    ($packed:expr, $codes:ident => $body:expr) => {
        match $packed {
            $crate::Packed::U8($codes) => $body,
            $crate::Packed::U16($codes) => $body,
            $crate::Packed::U32($codes) => $body,
            // The code is written for all widths, and one of them is that of the result.
            #[allow(clippy::useless_conversion)]
            $crate::Packed::U64($codes) => $body,
        }
    };
}

impl Packed {
    /// None of the numbers may be larger than `largest`.
    pub fn pack(numbers: impl Iterator<Item = u64>, largest: u64) -> Packed {
        if u8::try_from(largest).is_ok() {
            Packed::U8(numbers.map(|number| number as u8).collect())
        } else if u16::try_from(largest).is_ok() {
            Packed::U16(numbers.map(|number| number as u16).collect())
        } else if u32::try_from(largest).is_ok() {
            Packed::U32(numbers.map(|number| number as u32).collect())
        } else {
            Packed::U64(numbers.collect())
        }
    }

    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        with_codes!(self, codes => codes.len())
    }

    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> u64 {
        match self {
            Packed::U8(codes) => u64::from(codes[row]),
            Packed::U16(codes) => u64::from(codes[row]),
            Packed::U32(codes) => u64::from(codes[row]),
            Packed::U64(codes) => codes[row],
        }
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Packed::U8(codes) => codes.len(),
            Packed::U16(codes) => codes.len() * 2,
            Packed::U32(codes) => codes.len() * 4,
            Packed::U64(codes) => codes.len() * 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_width_of_the_largest() {
        for (largest, width) in [(255, 1), (256, 2), (65_536, 4), (1 << 32, 8), (u64::MAX, 8)] {
            let packed = Packed::pack([0, 1, largest].into_iter(), largest);
            assert_eq!(packed.bytes(), 3 * width, "{largest}");
            assert_eq!((packed.get(0), packed.get(2)), (0, largest));
        }
    }
}
