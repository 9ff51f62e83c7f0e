//! What iptables, nftables and UFW say of a packet: `IN=eth0 OUT= MAC=… SRC=10.1.2.3 … DF PROTO=TCP SYN URGP=0`.

use memchr::memmem;

use crate::batch::Level;
use crate::named::Named;
use crate::pairs::Style;
use crate::rows::Rows;

const STYLE: Style = Style { escapes: false, single_quotes: false };

/// Flags of the packet and of TCP, which stand without a value.
const FLAGS: [&[u8]; 12] =
    [b"DF", b"MF", b"CE", b"SYN", b"ACK", b"FIN", b"RST", b"PSH", b"URG", b"ECE", b"CWR", b"INCOMPLETE"];

/// Puts a packet's pairs into columns of their names, its flags into `flags`, and what stands before them (the
/// rule's prefix) into `rule`. Tells whether the message, which begins at a place of the event, is of a packet.
pub(crate) fn read(event: &[u8], at: usize, named: &mut Named, rows: &mut Rows) -> bool {
    let message = &event[at..];
    let Some(start) = memmem::find(message, b"IN=").map(|length| at + length) else { return false };
    if (start > at && event[start - 1] != b' ') || memmem::find(&event[start..], b" OUT=").is_none() {
        return false;
    }
    let is_sign = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':';
    let rule = event[at..start].iter().rposition(|byte| !is_sign(byte)).map_or(at, |last| at + last + 1);
    // The kernel's own clock stands before it.
    let rule_start = match memchr::memchr(b']', &event[at..rule]) {
        Some(length)
            if event[at] == b'['
                && event[at + 1..at + length]
                    .iter()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b' ')) =>
        {
            at + length + 1 + event[at + length + 1..].iter().take_while(|byte| is_sign(byte)).count()
        }
        _ => at,
    };
    if rule_start < rule {
        named.text(b"rule", rule_start, rule, rows);
        if rows.level() == Level::None && memmem::find(&event[rule_start..rule], b"BLOCK").is_some() {
            rows.set_level(Level::Warn);
        }
    }
    let mut next = start;
    let mut flags: Vec<&[u8]> = Vec::new();
    let mut is_inner = false;
    while let Some(item) = STYLE.next(event, next) {
        next = item.end;
        // An ICMP error holds the header of the packet it answers, with the same names.
        is_inner |= item.key(event).first() == Some(&b'[');
        match item.value {
            _ if is_inner => {}
            None if FLAGS.contains(&item.key(event)) => flags.push(item.key(event)),
            None => {}
            Some(_) => item.put(item.key(event), event, named, rows),
        }
        is_inner &= event.get(item.end - 1) != Some(&b']');
    }
    if !flags.is_empty() {
        named.rewrite(b"flags", rows, |buffer| buffer.extend_from_slice(&flags.join(&b' ')));
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::formats::{Fit, Format, Reader, render};
    use crate::named::Named;
    use crate::rows::Rows;

    struct Packets(Named);

    impl Reader for Packets {
        fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
            self.0.begin();
            if super::read(event, 0, &mut self.0, rows) { Ok(Fit::Whole) } else { Err("no packet") }
        }
    }

    static FORMAT: Format =
        Format { name: "test", reader: |_| Box::new(Packets(Named::default())), ..Format::LINES };

    #[test]
    fn packets() {
        assert_eq!(
            render(
                &FORMAT,
                "[12.5] [UFW BLOCK] IN=eth0 OUT= MAC=90:10 SRC=10.1.2.3 LEN=52 DF PROTO=TCP SPT=7 SYN URGP=0 "
            ),
            r#"- warn rule="[UFW BLOCK]" IN="eth0" MAC="90:10" SRC="10.1.2.3" LEN=52 PROTO="TCP" SPT=7 URGP=0 flags="DF SYN""#
        );
        assert_eq!(
            render(&FORMAT, "DROP: IN= OUT=eth1 SRC=10.1.2.3 TYPE=3 [SRC=10.9.9.9 DF SPT=7 ] MARK=0x1"),
            r#"- - rule="DROP" OUT="eth1" SRC="10.1.2.3" TYPE=3 MARK="0x1""#
        );
        assert_eq!(render(&FORMAT, "LOGIN=x OUT=y"), "unparsed: no packet");
        assert_eq!(render(&FORMAT, "IN=x"), "unparsed: no packet");
    }
}
