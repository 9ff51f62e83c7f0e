//! Sorted row ids as a list of gaps, seven bits a byte.

/// Appends a gap.
#[inline]
pub fn push_gap(bytes: &mut Vec<u8>, mut gap: u32) {
    while gap >= 0x80 {
        bytes.push(gap as u8 | 0x80);
        gap >>= 7;
    }
    bytes.push(gap as u8);
}

/// Strictly increasing numbers as gaps; the first one is the gap from zero.
pub fn write(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len());
    let mut last = 0;
    for &number in numbers {
        push_gap(&mut bytes, number - last);
        last = number;
    }
    bytes
}

/// Reads the ids below `universe`. A larger id is damage; it and everything after it are dropped.
pub fn read(bytes: &[u8], universe: u32) -> Vec<u32> {
    let mut numbers = Vec::new();
    let (mut number, mut gap, mut shift) = (0_u64, 0_u64, 0);
    for &byte in bytes {
        gap |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            number += gap;
            if number >= u64::from(universe) {
                break;
            }
            numbers.push(number as u32);
            (gap, shift) = (0, 0);
        } else if shift > 28 {
            break;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn posting_list_reads_back(numbers in prop::collection::btree_set(0..u32::MAX, 0..200)) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            prop_assert_eq!(read(&write(&numbers), u32::MAX), numbers);
        }

        #[test]
        fn damaged_bytes_give_rows_of_the_segment(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            let numbers = read(&bytes, 500);
            prop_assert!(numbers.is_sorted() && numbers.iter().all(|&number| number < 500));
        }
    }
}
