//! The ratchet on long files: their number only falls.

/// A longer file is hard to hold in the head; the aim is 400.
pub const LONGEST_LINES: usize = 600;

/// Files that a generator writes, whose length is not a matter of taste.
pub const GENERATED: &[&str] = &["src/ipc/generated.ts"];

#[must_use]
pub fn too_long(path: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let counts = lines > LONGEST_LINES && !GENERATED.contains(&path);
    counts.then(|| format!("{path} has {lines} lines; {LONGEST_LINES} is the most"))
}
