//! The cores, memory and disk that this process may use.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::Overrides;

/// The bytes written to measure the rate of a disk: enough to outlast its first answer, and done in a tenth of a
/// second even by a slow one.
const TRIAL_BYTES: usize = 8 << 20;

/// The assumed memory if the system does not report it.
const UNKNOWN_MEMORY_BYTES: u64 = 2 << 30;

/// The machine as this process sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// All cores of the machine.
    pub cores: usize,
    /// Those that this process may use, by its affinity and the quota of its group.
    pub usable_cores: usize,
    /// Memory that is available without evicting anything.
    pub available_bytes: u64,
    /// The rest of the limit of its group, if there is one.
    pub limit_bytes: Option<u64>,
    /// The write rate of the case's disk, if it was measured.
    pub disk_bytes_a_second: Option<u64>,
    /// The load average of the last minute, if the system reports it.
    pub load: Option<f64>,
}

impl Host {
    /// Looks at everything but the disk, which takes no time. Another machine may be wished for.
    #[must_use]
    pub fn look(wishes: &Overrides) -> Host {
        let host = Host::of_system();
        let limit_bytes = if wishes.available_bytes.is_some() { None } else { host.limit_bytes };
        Host {
            usable_cores: wishes.cores.unwrap_or(host.usable_cores).max(1),
            available_bytes: wishes.available_bytes.unwrap_or(host.available_bytes),
            limit_bytes,
            ..host
        }
    }

    fn of_system() -> Host {
        let system = |path: &str| fs::read_to_string(path).ok();
        let usable = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let cores = system("/proc/cpuinfo").map(|text| text.matches("processor\t").count());
        Host {
            cores: cores.unwrap_or(0).max(usable),
            usable_cores: usable,
            available_bytes: system("/proc/meminfo")
                .and_then(|text| available(&text))
                .unwrap_or(UNKNOWN_MEMORY_BYTES),
            limit_bytes: system("/proc/self/cgroup")
                .and_then(|text| limit(&text, Path::new("/sys/fs/cgroup"))),
            disk_bytes_a_second: None,
            load: system("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
        }
    }

    /// Also measures the disk of a folder.
    #[must_use]
    pub fn with_disk(self, folder: &Path) -> Host {
        Host { disk_bytes_a_second: disk_rate(folder), ..self }
    }

    /// Memory that this process may take.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.limit_bytes.map_or(self.available_bytes, |limit| limit.min(self.available_bytes))
    }
}

/// `MemAvailable` of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// What the tightest limit over the process's groups leaves; `root` is where the groups are mounted. Both
/// versions of groups are known: one tree, or one for memory of its own.
fn limit(own: &str, root: &Path) -> Option<u64> {
    own.lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            let path = path.trim_start_matches('/');
            if controllers.is_empty() {
                tightest(root, path, "memory.max", "memory.current")
            } else if controllers.split(',').any(|controller| controller == "memory") {
                let root = root.join("memory");
                tightest(&root, path, "memory.limit_in_bytes", "memory.usage_in_bytes")
            } else {
                None
            }
        })
        .min()
}

/// A group is bound by its own limit and by those of all groups that it is in.
fn tightest(root: &Path, group: &str, limit: &str, usage: &str) -> Option<u64> {
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    // Within a container the group's path may be that of the machine outside, and only the root is there.
    let folders = Path::new(group).ancestors().map(|part| root.join(part));
    folders
        .filter_map(|folder| {
            let limit = number(folder.join(limit))?;
            Some(limit.saturating_sub(number(folder.join(usage)).unwrap_or(0)))
        })
        .min()
        // The older version says "no limit" with a number larger than any memory.
        .filter(|&left| left < 1 << 60)
}

/// The rate in bytes per second at which a file becomes durable.
fn disk_rate(folder: &Path) -> Option<u64> {
    // Incompressible bytes.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .take(TRIAL_BYTES / 8)
    .flatten()
    .collect();
    let measured = || -> std::io::Result<f64> {
        let mut file = tempfile::tempfile_in(folder)?;
        let began = Instant::now();
        file.write_all(&bytes)?;
        file.sync_all()?;
        Ok(began.elapsed().as_secs_f64())
    };
    measured().ok().map(|seconds| (TRIAL_BYTES as f64 / seconds.max(1e-6)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
    }

    #[test]
    fn available_memory_is_read_from_the_system() {
        let text = "MemTotal:       24683548 kB\nMemFree:         1000 kB\nMemAvailable:   23445000 kB\n";
        assert_eq!(available(text), Some(23_445_000 * 1024));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_tightest_group_of_either_version_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        write(
            root,
            &[
                ("a/memory.max", "1000000\n"),
                ("a/memory.current", "400000\n"),
                ("a/b/memory.max", "max\n"),
                ("a/b/memory.current", "300000\n"),
                ("memory/x/memory.limit_in_bytes", "5000\n"),
                ("memory/x/memory.usage_in_bytes", "1000\n"),
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        assert_eq!(limit("0::/a/b\n", root), Some(600_000));
        assert_eq!(limit("4:memory:/x\n1:cpu,cpuacct:/a\n", root), Some(4_000));
        assert_eq!(limit("4:memory:/gone\n", root), None);
        assert_eq!(limit("nonsense", root), None);
    }

    #[test]
    fn disk_rate_is_measured_without_leaving_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = Host::look(&Overrides::default()).with_disk(folder.path());
        assert!(host.disk_bytes_a_second.is_some_and(|rate| rate > 0));
        assert!(host.usable_cores >= 1 && host.memory_bytes() > 0);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        assert_eq!(host.with_disk(Path::new("/nowhere")).disk_bytes_a_second, None);
        let wishes = Overrides { cores: Some(7), available_bytes: Some(1 << 30), ..Overrides::default() };
        let other = Host::look(&wishes);
        assert_eq!((other.usable_cores, other.memory_bytes()), (7, 1 << 30));
    }
}
