//! Delta encoding of integers, `DELTA_BINARY_PACKED`. The library keeps its own implementation private, but
//! packs the bits.

use polars_parquet::parquet::encoding::bitpacked::{Decoder, encode_pack};
use polars_parquet::parquet::encoding::{uleb128, zigzag_leb128};

const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Numbers that the library packs at once.
const PACK: usize = u64::BITS as usize;

/// Bits a number takes.
pub fn width_of(largest: u64) -> usize {
    (u64::BITS - largest.leading_zeros()) as usize
}

pub fn write_differences(numbers: &[i64], bytes: &mut Vec<u8>) {
    for number in [BLOCK, BLOCK / MINIBLOCK, numbers.len()] {
        let mut place = [0; 10];
        let length = uleb128::encode(number as u64, &mut place);
        bytes.extend_from_slice(&place[..length]);
    }
    write_signed(numbers.first().copied().unwrap_or(0), bytes);
    let mut differences = [0_i64; BLOCK];
    let following = numbers.get(1..).unwrap_or_default();
    for (block, before) in following.chunks(BLOCK).zip(numbers.chunks(BLOCK)) {
        for ((difference, number), before) in differences.iter_mut().zip(block).zip(before) {
            *difference = number.wrapping_sub(*before);
        }
        let used = &differences[..block.len()];
        let least = used.iter().copied().min().unwrap_or(0);
        write_signed(least, bytes);
        let widths = bytes.len();
        bytes.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
        for (index, part) in used.chunks(MINIBLOCK).enumerate() {
            let mut above = [0; PACK];
            for (above, difference) in above.iter_mut().zip(part) {
                *above = difference.wrapping_sub(least) as u64;
            }
            let width = width_of(above.iter().fold(0, |all, number| all | number));
            bytes[widths + index] = width as u8;
            let mut packed = [0; PACK * size_of::<u64>()];
            encode_pack(&above, width, &mut packed);
            bytes.extend_from_slice(&packed[..MINIBLOCK / 8 * width]);
        }
    }
}

/// Reads packed differences and returns the bytes after them. `None` if the bytes are damaged.
pub fn read_differences(mut bytes: &[u8], most: usize) -> Option<(Vec<i64>, &[u8])> {
    let [block, miniblocks, count] = [read(&mut bytes)?, read(&mut bytes)?, read(&mut bytes)?];
    if count > most || block != BLOCK || miniblocks != BLOCK / MINIBLOCK {
        return None;
    }
    let mut number = read_signed(&mut bytes)?;
    let mut numbers = Vec::with_capacity(count);
    if count > 0 {
        numbers.push(number);
    }
    let mut above: Vec<u64> = Vec::with_capacity(PACK);
    while numbers.len() < count {
        let least = read_signed(&mut bytes)?;
        let widths;
        (widths, bytes) = bytes.split_at_checked(miniblocks)?;
        for &width in widths {
            let wanted = MINIBLOCK.min(count - numbers.len());
            if wanted == 0 {
                break;
            }
            let width = Some(usize::from(width)).filter(|&width| width <= PACK)?;
            let packed;
            (packed, bytes) = bytes.split_at_checked(MINIBLOCK / 8 * width)?;
            above.clear();
            if width == 0 {
                above.resize(wanted, 0);
            } else {
                Decoder::try_new(packed, width, wanted).ok()?.collect_into(&mut above);
            }
            for &above in &above {
                number = number.wrapping_add(least).wrapping_add(above as i64);
                numbers.push(number);
            }
        }
    }
    Some((numbers, bytes))
}

fn write_signed(number: i64, bytes: &mut Vec<u8>) {
    let (place, length) = zigzag_leb128::encode(number);
    bytes.extend_from_slice(&place[..length]);
}

fn read(bytes: &mut &[u8]) -> Option<usize> {
    let (number, length) = uleb128::decode(bytes);
    *bytes = bytes.get(length.max(1)..)?;
    usize::try_from(number).ok()
}

fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    let (number, length) = zigzag_leb128::decode(bytes);
    *bytes = bytes.get(length.max(1)..)?;
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn differences_read_back(numbers in prop::collection::vec(prop_oneof![any::<i64>(), 0..9_i64], 0..400)) {
            let mut bytes = Vec::new();
            write_differences(&numbers, &mut bytes);
            bytes.push(7);
            prop_assert_eq!(read_differences(&bytes, numbers.len()), Some((numbers, &[7][..])));
        }

        /// The library reads any number until it ends, and asserts in tests that none is too long.
        #[test]
        fn damage_causes_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0..9_usize) {
            let mut begun = vec![128, 1, 4, 120, 2];
            begun.truncate(cut);
            begun.extend(bytes.into_iter().map(|byte| byte & 0x7F));
            let _ = read_differences(&begun, 1_000);
        }
    }
}
