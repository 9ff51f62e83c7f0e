//! From which networks is received, and who has an address that is wanted.

use std::fs;
use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

/// Networks that may send. Without any, only this machine may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Reads `10.0.0.0/8,192.168.1.7,fd00::/8`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Networks> {
        // An address without a length is a network of its own.
        let network = |text: &str| text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        text.split(',').map(|part| network(part.trim())).collect::<Option<Vec<_>>>().map(Networks)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an address may send.
    #[must_use]
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_loopback() || self.contain(address)
    }

    /// Whether an address is in one of them.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The process that has an address, where the system says it: its number and name.
#[must_use]
pub fn process_with_address(address: SocketAddr, protocol: &str) -> Option<String> {
    let port = format!(":{:04X}", address.port());
    let tables = [format!("/proc/net/{protocol}"), format!("/proc/net/{protocol}6")];
    let inodes: Vec<String> = tables
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| {
            let of_port = |line: &str| {
                let mut words = line.split_ascii_whitespace();
                let is_bound = words.nth(1).is_some_and(|local| local.ends_with(&port));
                let inode = words.nth(7)?;
                is_bound.then(|| format!("socket:[{inode}]"))
            };
            table.lines().skip(1).filter_map(of_port).collect::<Vec<_>>()
        })
        .collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut matching = processes.filter_map(|process| {
        let number: u32 = process.file_name().to_str()?.parse().ok()?;
        let mut open = fs::read_dir(process.path().join("fd")).ok()?.flatten();
        open.any(|file| {
            let target = fs::read_link(file.path()).unwrap_or_default();
            inodes.iter().any(|inode| target.as_os_str() == inode.as_str())
        })
        .then(|| {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            format!("process {number} ({})", name.trim_end())
        })
    });
    matching.next()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_named_networks_may_send() {
        let networks = Networks::parse("10.1.0.0/16, 192.168.1.7,fd00::/8").expect("they are networks");
        let allow = |address: &str| networks.allow(address.parse().expect("an address"));
        assert!(allow("127.0.0.1") && allow("::1") && allow("10.1.255.3") && allow("::ffff:10.1.0.1"));
        assert!(allow("192.168.1.7") && allow("fd12::1"));
        assert!(!allow("10.2.0.1") && !allow("192.168.1.8") && !allow("fe80::1"));
        assert!(!Networks::default().allow("10.1.0.1".parse().expect("an address")));
        let all = Networks::parse("0.0.0.0/0").expect("a network");
        assert!(all.allow("8.8.8.8".parse().expect("an address")));
        for wrong in ["", "10.0.0.0/33", "host", "10.0.0.0/x"] {
            assert_eq!(Networks::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn process_with_open_port_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let process = process_with_address(listener.local_addr().expect("its address"), "tcp");
        let own = format!("process {} (", std::process::id());
        // Not every system has these tables.
        if fs::metadata("/proc/net/tcp").is_ok() {
            assert!(process.as_ref().is_some_and(|process| process.starts_with(&own)), "{process:?}");
        }
    }
}
