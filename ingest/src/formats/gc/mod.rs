//! Garbage collection logs of the JVM: the unified ones since Java 9 and the many earlier formats.

pub(crate) mod legacy;
pub(crate) mod unified;

/// How the heap changed, in bytes: `24M->4M(256M)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Heap {
    before: i64,
    after: i64,
    total: i64,
}

/// The last change of a heap in a text; a line has the whole heap after its parts.
fn last_heap(text: &[u8]) -> Option<Heap> {
    let arrows: Vec<usize> = memchr::memmem::find_iter(text, b"->").collect();
    arrows.into_iter().rev().find_map(|arrow| heap_at(text, arrow))
}

fn heap_at(text: &[u8], arrow: usize) -> Option<Heap> {
    let is_size = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'.';
    // G1 also writes the size of the heap before the collection: `51.0M(1024.0M)->7888.0K(1024.0M)`.
    let mut from_end = arrow;
    if text[..arrow].ends_with(b")") {
        from_end = memchr::memrchr(b'(', &text[..arrow])?;
    }
    let length = text[..from_end].iter().rev().take(20).take_while(is_size).count();
    let before = bytes(&text[from_end - length..from_end])?;
    let rest = &text[arrow + 2..];
    let length = rest.iter().take(20).take_while(is_size).count();
    let after = bytes(&rest[..length])?;
    let inner = rest[length..].strip_prefix(b"(")?;
    let total = bytes(&inner[..inner.iter().take(20).take_while(is_size).count()])?;
    Some(Heap { before, after, total })
}

/// Converts `123K`, `1.5G`, `0B` to bytes.
fn bytes(text: &[u8]) -> Option<i64> {
    let (&unit, number) = text.split_last()?;
    let scale = match unit {
        b'B' => 1.0,
        b'K' => 1024.0,
        b'M' => 1024.0 * 1024.0,
        b'G' => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((decimal(number)? * scale) as i64)
}

fn decimal(text: &[u8]) -> Option<f64> {
    let is_number = !text.is_empty()
        && text.len() < 16
        && text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    is_number.then(|| std::str::from_utf8(text).ok()?.replace(',', ".").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps() {
        let heap = |text: &str| last_heap(text.as_bytes()).map(|heap| (heap.before, heap.after, heap.total));
        assert_eq!(heap("Pause Young 24M->4M(256M) 2.311ms"), Some((24 << 20, 4 << 20, 256 << 20)));
        assert_eq!(heap("[ParNew: 9K->1K(2K)] 20K->5K(30K), 0.1 secs]"), Some((20 << 10, 5 << 10, 30 << 10)));
        assert_eq!(heap("Heap: 51.5M(1024.0M)->7888.0K(1024.0M)]"), Some((54_001_664, 7888 << 10, 1 << 30)));
        assert_eq!(heap("0B->0B(1G)"), Some((0, 0, 1 << 30)));
        assert_eq!(heap("a->b(c) ->"), None);
        assert_eq!(heap(""), None);
    }
}
