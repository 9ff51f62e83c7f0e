//! Where the window was and how large, so that the next one is there again.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tauri::{PhysicalPosition, PhysicalSize, Window};
use wire::whole_file::{self, Readers};

/// A window's place in the system's own pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
    pub maximized: bool,
}

/// A part of a screen, in the same pixels.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// So much of a window has to be on a screen for a person to get hold of it.
const GRIP: i32 = 80;

impl Placement {
    fn file(home: &Path) -> PathBuf {
        home.join("window.json")
    }

    pub fn read(home: &Path) -> Option<Placement> {
        serde_json::from_slice(&fs::read(Placement::file(home)).ok()?).ok()
    }

    /// A place that cannot be kept is only a window that opens elsewhere next time.
    pub fn write(self, home: &Path) {
        if let Ok(text) = serde_json::to_vec(&self)
            && whole_file::create_own_folder(home).is_ok()
        {
            let _ = whole_file::replace(&Placement::file(home), &text, Readers::Owner);
        }
    }

    /// Where a window is. A maximized one keeps the size that it had before.
    pub fn from_window(window: &Window, before: Option<Placement>) -> Option<Placement> {
        let PhysicalPosition { x, y } = window.outer_position().ok()?;
        let PhysicalSize { width, height } = window.inner_size().ok()?;
        let maximized = window.is_maximized().unwrap_or(false);
        if window.is_minimized().unwrap_or(false) || width == 0 || height == 0 {
            return None;
        }
        let now = Placement { x, y, width, height, maximized };
        Some(match before {
            Some(before) if maximized => Placement { maximized, ..before },
            _ => now,
        })
    }

    /// Whether its title bar can be reached on one of the screens; one may have been taken away.
    pub fn is_reachable(self, screens: &[Screen]) -> bool {
        screens.iter().any(|screen| {
            let right = screen.x.saturating_add_unsigned(screen.width);
            let bottom = screen.y.saturating_add_unsigned(screen.height);
            let end = self.x.saturating_add_unsigned(self.width);
            let across = end.min(right) - self.x.max(screen.x);
            across >= GRIP && self.y >= screen.y - GRIP / 4 && self.y <= bottom - GRIP
        })
    }

    /// A little below and to the right, so that one window does not hide the other.
    #[must_use]
    pub fn offset_by(self, number: u32) -> Placement {
        let step = 32 * i32::try_from(number % 8).unwrap_or(0);
        Placement { x: self.x + step, y: self.y + step, maximized: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_on_a_missing_screen_is_ignored() {
        let screens = [
            Screen { x: 0, y: 0, width: 1920, height: 1080 },
            Screen { x: 1920, y: 0, width: 1280, height: 1024 },
        ];
        let at = |x, y| Placement { x, y, width: 1280, height: 800, maximized: false };
        assert!(at(100, 100).is_reachable(&screens));
        assert!(at(-1_100, 100).is_reachable(&screens));
        assert!(!at(-1_250, 100).is_reachable(&screens));
        assert!(at(2_000, 20).is_reachable(&screens));
        assert!(!at(2_000, 20).is_reachable(&screens[..1]));
        assert!(!at(100, 1_060).is_reachable(&screens));
        assert!(!at(100, -500).is_reachable(&screens));
    }

    #[test]
    fn placement_reads_back() {
        let home = std::env::temp_dir().join(format!("timberline-placement-{}", std::process::id()));
        let place = Placement { x: -7, y: 12, width: 1280, height: 800, maximized: true };
        assert_eq!(Placement::read(&home), None);
        place.write(&home);
        assert_eq!(Placement::read(&home), Some(place));
        fs::remove_dir_all(&home).expect("it can be removed");
    }
}
