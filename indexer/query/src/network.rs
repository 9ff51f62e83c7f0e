//! Addresses and the networks they are in.

use std::net::{IpAddr, SocketAddr};

/// A network such as `10.0.0.0/8` or `2001:db8::/32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: u128,
    bits: u32,
    is_v4: bool,
}

impl Network {
    #[must_use]
    pub fn parse(text: &str) -> Option<Network> {
        let (address, length) = text.split_once('/')?;
        let digits = !length.is_empty() && length.len() <= 3 && length.bytes().all(|b| b.is_ascii_digit());
        let bits: u32 = digits.then(|| length.parse().ok())??;
        let (address, is_v4) = number(address.parse().ok()?);
        let bits = if is_v4 { bits.checked_add(96)? } else { bits };
        (bits <= 128).then_some(Network { address, bits, is_v4 })
    }

    /// True if an address is in it; `None` if the text is not an address. A port after it does not matter.
    #[must_use]
    pub fn holds(&self, text: &str) -> Option<bool> {
        let (address, is_v4) = number(address(text)?);
        let differing = (address ^ self.address).leading_zeros();
        Some(is_v4 == self.is_v4 && differing >= self.bits)
    }
}

/// An address as a number that sorts like the address; `None` if the text is not an address.
#[must_use]
pub fn address_number(text: &str) -> Option<u128> {
    address(text).map(|address| number(address).0)
}

fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    // Texts that cannot be addresses are most of what a field of another kind holds.
    if text.len() > 64 || !text.starts_with(|c: char| c.is_ascii_hexdigit() || matches!(c, '[' | ':')) {
        return None;
    }
    let plain = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
    plain.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

/// An address as a number; IPv4 lies where IPv6 maps it, so one rule serves both.
fn number(address: IpAddr) -> (u128, bool) {
    match address {
        IpAddr::V4(v4) => (v4.to_ipv6_mapped().to_bits(), true),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => (v4.to_ipv6_mapped().to_bits(), true),
            None => (v6.to_bits(), false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        for (network, address, holds) in [
            ("10.0.0.0/8", "10.255.1.2", Some(true)),
            ("10.0.0.0/8", "11.0.0.1", Some(false)),
            ("10.0.0.7/32", "10.0.0.7:8080", Some(true)),
            ("0.0.0.0/0", "8.8.8.8", Some(true)),
            ("0.0.0.0/0", "::1", Some(false)),
            ("2001:db8::/32", "2001:db8:1::7", Some(true)),
            ("2001:db8::/32", "[2001:db9::7]:443", Some(false)),
            ("10.0.0.0/8", "::ffff:10.1.1.1", Some(true)),
            ("10.0.0.0/8", "ten", None),
            ("10.0.0.0/8", "10.0.0", None),
        ] {
            let network = Network::parse(network).expect("a network");
            assert_eq!(network.holds(address), holds, "{address}");
        }
        for text in ["10.0.0.0/33", "10.0.0.0", "/8", "a/8", "10.0.0.0/+8", "::/129"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
