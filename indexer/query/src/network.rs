//! Addresses and the networks they are in.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// A network such as `10.0.0.0/8` or `2001:db8::/32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    #[must_use]
    pub fn parse(text: &str) -> Option<Network> {
        let network: IpNet = text.parse().ok()?;
        // IPv4 addresses written as IPv6 are compared as IPv4, so such a network would hold none.
        let is_mapped = matches!(network.addr(), IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some());
        (!is_mapped).then_some(Network(network))
    }

    /// True if an address is in it; `None` if the text is not an address. A port after it does not matter.
    #[must_use]
    pub fn holds(&self, text: &str) -> Option<bool> {
        Some(self.0.contains(&address(text)?.to_canonical()))
    }
}

/// An address as a number that sorts like the address; `None` if the text is not an address.
#[must_use]
pub fn address_number(text: &str) -> Option<u128> {
    // IPv4 lies where IPv6 maps it, so one rule serves both.
    address(text).map(|address| match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    })
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
        for text in ["10.0.0.0/33", "10.0.0.0", "/8", "a/8", "10.0.0.0/+8", "::/129", "::ffff:10.0.0.0/104"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
