//! Parquet's encodings of whole numbers: the hybrid of runs and packed bits that levels and dictionary
//! codes have, and packed differences.

use super::thrift::{Reader, unzigzag, varint, zigzag};

/// Bits a number takes.
pub fn width_of(largest: u64) -> u32 {
    64 - largest.leading_zeros()
}

/// Appends numbers of at most `width` bits each, lowest bits first. Only whole bytes come out: the count
/// times the width must be a multiple of 8.
fn pack(numbers: impl Iterator<Item = u64>, width: u32, bytes: &mut Vec<u8>) {
    let (mut waiting, mut held) = (0_u128, 0);
    for number in numbers {
        waiting |= u128::from(number) << held;
        held += width;
        if held >= 64 {
            bytes.extend_from_slice(&(waiting as u64).to_le_bytes());
            waiting >>= 64;
            held -= 64;
        }
    }
    bytes.extend_from_slice(&waiting.to_le_bytes()[..held as usize / 8]);
}

/// Reads packed numbers. Bytes that are missing at the end count as zero, as writers may cut them off.
fn unpack(bytes: &[u8], width: u32, count: usize, mut each: impl FnMut(u64)) {
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let (mut waiting, mut held, mut at) = (0_u128, 0, 0);
    for _ in 0..count {
        if held < width {
            let mut word = [0; 8];
            let rest = bytes.get(at..).unwrap_or_default();
            match rest.first_chunk::<8>() {
                Some(whole) => word = *whole,
                None => word[..rest.len()].copy_from_slice(rest),
            }
            let word = u64::from_le_bytes(word);
            at += 8;
            waiting |= u128::from(word) << held;
            held += 64;
        }
        each(waiting as u64 & mask);
        waiting >>= width;
        held -= width;
    }
}

/// The hybrid: a number that repeats at least so often is a run, everything else is packed.
const RUN: usize = 16;

/// Numbers of up to 8 bits that are all alike.
pub fn write_run(count: usize, number: u8, bytes: &mut Vec<u8>) {
    varint(bytes, (count as u64) << 1);
    bytes.push(number);
}

pub fn write_hybrid(numbers: &[u32], width: u32, bytes: &mut Vec<u8>) {
    let mut packed_from = 0;
    let mut at = 0;
    while at < numbers.len() {
        let length = run_length(&numbers[at..]);
        // Packed numbers come in eights, so a run gives its first few to the eight before it.
        let fill = (8 - (at - packed_from) % 8) % 8;
        if length >= RUN + fill {
            write_packed(&numbers[packed_from..at + fill], width, bytes);
            varint(bytes, ((length - fill) as u64) << 1);
            bytes.extend_from_slice(&numbers[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            packed_from = at + length;
        }
        at += length;
    }
    write_packed(&numbers[packed_from..], width, bytes);
}

fn run_length(numbers: &[u32]) -> usize {
    numbers.iter().take_while(|&&number| number == numbers[0]).count()
}

fn write_packed(numbers: &[u32], width: u32, bytes: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let eights = numbers.len().div_ceil(8);
    varint(bytes, (eights as u64) << 1 | 1);
    let padding = std::iter::repeat_n(0, eights * 8 - numbers.len());
    pack(numbers.iter().map(|&number| u64::from(number)).chain(padding), width, bytes);
}

/// Appends `count` numbers of the hybrid. Nothing when the bytes do not hold them.
pub fn read_hybrid(bytes: &[u8], width: u32, count: usize, numbers: &mut Vec<u32>) -> Option<()> {
    if width > 32 {
        return None;
    }
    let end = numbers.len() + count;
    let mut reader = Reader { bytes, at: 0 };
    while numbers.len() < end {
        let header = reader.varint()?;
        let length = usize::try_from(header >> 1).ok()?;
        let wanted = end - numbers.len();
        if header & 1 == 1 {
            let size = length.checked_mul(width as usize)?;
            let rest = bytes.get(reader.at..)?;
            let packed = &rest[..size.min(rest.len())];
            if length == 0 || (packed.len() * 8) < wanted.min(length.saturating_mul(8)) * width as usize {
                return None;
            }
            unpack(packed, width, wanted.min(length.saturating_mul(8)), |number| numbers.push(number as u32));
            reader.at = reader.at.saturating_add(size);
        } else {
            let size = width.div_ceil(8) as usize;
            let mut number = [0; 4];
            number[..size].copy_from_slice(bytes.get(reader.at..reader.at + size)?);
            if length == 0 {
                return None;
            }
            numbers.resize(numbers.len() + length.min(wanted), u32::from_le_bytes(number));
            reader.at += size;
        }
    }
    Some(())
}

const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// `DELTA_BINARY_PACKED`.
pub fn write_differences(numbers: &[i64], bytes: &mut Vec<u8>) {
    varint(bytes, BLOCK as u64);
    varint(bytes, (BLOCK / MINIBLOCK) as u64);
    varint(bytes, numbers.len() as u64);
    varint(bytes, zigzag(numbers.first().copied().unwrap_or(0)));
    let mut differences = [0_i64; BLOCK];
    let following = numbers.get(1..).unwrap_or_default();
    for (block, before) in following.chunks(BLOCK).zip(numbers.chunks(BLOCK)) {
        for ((difference, number), before) in differences.iter_mut().zip(block).zip(before) {
            *difference = number.wrapping_sub(*before);
        }
        let used = &differences[..block.len()];
        let least = used.iter().copied().min().unwrap_or(0);
        varint(bytes, zigzag(least));
        let above = |&difference: &i64| difference.wrapping_sub(least) as u64;
        let widths = bytes.len();
        bytes.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
        for (index, part) in used.chunks(MINIBLOCK).enumerate() {
            let width = width_of(part.iter().map(above).fold(0, |all, number| all | number));
            bytes[widths + index] = width as u8;
            let padding = std::iter::repeat_n(0, MINIBLOCK - part.len());
            pack(part.iter().map(above).chain(padding), width, bytes);
        }
    }
}

/// Reads packed differences and how many bytes they took. Nothing when the bytes are not that.
pub fn read_differences(bytes: &[u8], most: usize) -> Option<(Vec<i64>, usize)> {
    let mut reader = Reader { bytes, at: 0 };
    let block = usize::try_from(reader.varint()?).ok()?;
    let miniblocks = usize::try_from(reader.varint()?).ok()?;
    let count = usize::try_from(reader.varint()?).ok()?;
    let mut number = unzigzag(reader.varint()?);
    if count > most || block != BLOCK || miniblocks != BLOCK / MINIBLOCK {
        return None;
    }
    let mut numbers = Vec::with_capacity(count);
    if count > 0 {
        numbers.push(number);
    }
    while numbers.len() < count {
        let least = unzigzag(reader.varint()?);
        let widths = bytes.get(reader.at..reader.at.checked_add(miniblocks)?)?;
        reader.at += miniblocks;
        for &width in widths {
            let wanted = MINIBLOCK.min(count - numbers.len());
            if wanted == 0 {
                break;
            }
            let length = MINIBLOCK / 8 * usize::from(width);
            let packed = bytes.get(reader.at..reader.at.checked_add(length)?)?;
            if width > 64 {
                return None;
            }
            unpack(packed, u32::from(width), wanted, |above| {
                number = number.wrapping_add(least).wrapping_add(above as i64);
                numbers.push(number);
            });
            reader.at += length;
        }
    }
    Some((numbers, reader.at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs() -> impl Strategy<Value = Vec<u32>> {
        let run = (0..2_000_u32, prop_oneof![Just(1_usize), 1..60_usize]);
        prop::collection::vec(run, 0..60).prop_map(|runs| {
            runs.into_iter().flat_map(|(number, length)| std::iter::repeat_n(number, length)).collect()
        })
    }

    proptest! {
        #[test]
        fn the_hybrid_reads_back(numbers in runs()) {
            let width = width_of(u64::from(numbers.iter().copied().max().unwrap_or(0)));
            let (mut bytes, mut read) = (Vec::new(), Vec::new());
            write_hybrid(&numbers, width, &mut bytes);
            read_hybrid(&bytes, width, numbers.len(), &mut read).expect("it is as it was written");
            prop_assert_eq!(read, numbers);
        }

        #[test]
        fn differences_read_back(numbers in prop::collection::vec(prop_oneof![any::<i64>(), 0..9_i64], 0..400)) {
            let mut bytes = Vec::new();
            write_differences(&numbers, &mut bytes);
            let length = bytes.len();
            bytes.push(7);
            prop_assert_eq!(read_differences(&bytes, numbers.len()), Some((numbers, length)));
        }

        #[test]
        fn damage_is_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), width in 0..40_u32) {
            let _ = read_hybrid(&bytes, width, 1_000, &mut Vec::new());
            let _ = read_differences(&bytes, 1_000);
        }
    }
}
