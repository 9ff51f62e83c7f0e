//! The windows of this process: opened next to each other, with their progress and title in the task bar.

#![expect(clippy::needless_pass_by_value, reason = "a command owns its arguments")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tauri::window::{ProgressBarState, ProgressBarStatus};
use tauri::{
    AppHandle, Manager, State, UserAttentionType, WebviewWindow, WebviewWindowBuilder, Window, WindowEvent,
};
use wire::{Session, WireError};

use crate::notification;
use crate::placement::{Placement, Screen};

/// The label of the window that the program starts with.
const MAIN: &str = "main";

/// What the windows were opened for, and where they are put.
pub struct Windows {
    home: PathBuf,
    opened: AtomicU32,
    given: Mutex<HashMap<String, Vec<String>>>,
    /// The ids of running calls, each with the label of the window that made it.
    calls: Mutex<HashMap<String, String>>,
}

impl Windows {
    pub fn new(home: &Path) -> Windows {
        Windows {
            home: home.to_path_buf(),
            opened: AtomicU32::new(0),
            given: Mutex::default(),
            calls: Mutex::default(),
        }
    }

    /// Remembers which window made a call, until it has returned.
    pub fn begin_call(&self, label: &str, id: &str) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), label.to_owned());
    }

    pub fn end_call(&self, id: &str) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    fn calls_of(&self, label: &str) -> Vec<String> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter(|(_, of)| *of == label).map(|(id, _)| id.clone()).collect()
    }

    /// Nobody waits any longer for what this window asked for.
    fn cancel_calls(&self, label: &str, session: &Session) {
        self.calls_of(label).iter().for_each(|id| session.cancel(id));
    }

    fn give(&self, label: &str, paths: Vec<String>) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(label.to_owned(), paths);
    }

    fn take(&self, label: &str) -> Option<Vec<String>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).remove(label)
    }
}

/// Opens the window that the program starts with.
pub fn open_first(app: &AppHandle) -> tauri::Result<()> {
    build(app, MAIN, 0)
}

/// Opens a window for these paths next to the others.
pub fn open(app: &AppHandle, paths: Vec<String>) -> tauri::Result<()> {
    let windows = app.state::<Windows>();
    let number = windows.opened.fetch_add(1, Ordering::Relaxed) + 1;
    let label = format!("extra-{number}");
    windows.give(&label, paths);
    build(app, &label, number)
}

fn build(app: &AppHandle, label: &str, number: u32) -> tauri::Result<()> {
    let config = app.config().app.windows.iter().find(|config| config.label == MAIN).cloned();
    let mut config = config.unwrap_or_default();
    label.clone_into(&mut config.label);
    let home = &app.state::<Windows>().home;
    // What a view remembers is not shared with a window of another folder.
    let window = WebviewWindowBuilder::from_config(app, &config)?
        .data_directory(home.join("webview"))
        .on_document_title_changed(|window, title| {
            // A title that cannot be set leaves the one before, which names the program too.
            let _ = window.set_title(&title);
        })
        .build()?;
    if let Some(place) = Placement::read(home) {
        let place = if number == 0 { place } else { place.offset_by(number) };
        // The window is there already; where it cannot be put elsewhere it stays.
        let _ = put(&window, place);
    }
    Ok(())
}

fn put(window: &WebviewWindow, place: Placement) -> tauri::Result<()> {
    let screens = window.available_monitors()?.into_iter().map(|monitor| Screen {
        x: monitor.position().x,
        y: monitor.position().y,
        width: monitor.size().width,
        height: monitor.size().height,
    });
    if !place.is_reachable(&screens.collect::<Vec<_>>()) {
        return Ok(());
    }
    window.set_size(tauri::PhysicalSize::new(place.width, place.height))?;
    window.set_position(tauri::PhysicalPosition::new(place.x, place.y))?;
    if place.maximized { window.maximize() } else { Ok(()) }
}

/// Keeps the place of a window that is being closed, and cancels what it still waits for.
pub fn heard(window: &Window, event: &WindowEvent) {
    let windows = window.state::<Windows>();
    match event {
        WindowEvent::CloseRequested { .. } => {
            if let Some(place) = Placement::from_window(window, Placement::read(&windows.home)) {
                place.write(&windows.home);
            }
        }
        WindowEvent::Destroyed => {
            windows.cancel_calls(window.label(), &window.state::<Arc<Session>>());
        }
        _ => {}
    }
}

/// Brings some window to the front.
pub fn show(app: &AppHandle) {
    let windows = app.webview_windows();
    let focused = windows.values().find(|window| window.is_focused().unwrap_or(false));
    if let Some(window) = focused.or_else(|| windows.values().next()) {
        // Some desktops refuse this; the person then finds the window marked in the task bar.
        let _ = window.unminimize();
        let _ = window.set_focus();
        let _ = window.request_user_attention(Some(UserAttentionType::Informational));
    }
}

/// What a window was opened for by another one. The first window was opened by nobody; the others are informed once.
#[tauri::command]
pub fn window_paths(window: WebviewWindow, windows: State<'_, Windows>) -> Option<Vec<String>> {
    (window.label() != MAIN).then(|| windows.take(window.label()).unwrap_or_default())
}

// Windows deadlocks when a window is made within a call that the main thread waits for.
#[tauri::command]
pub async fn open_window(app: AppHandle, paths: Vec<String>) -> Result<(), WireError> {
    open(&app, paths).map_err(|error| WireError::internal(&error))
}

/// Shows the progress of the work in the task bar or the dock; nothing takes it away.
#[tauri::command]
pub fn show_progress(window: WebviewWindow, share: Option<f64>) -> Result<(), WireError> {
    let status = if share.is_some() { ProgressBarStatus::Normal } else { ProgressBarStatus::None };
    let percent = share.map(|share| (share.clamp(0.0, 1.0) * 100.0).round() as u64);
    let state = ProgressBarState { status: Some(status), progress: percent };
    window.set_progress_bar(state).map_err(|error| WireError::internal(&error))
}

/// Something has happened that a person may wait for: the task bar and a notification of the desktop say so where the
/// window is not looked at.
#[tauri::command]
pub fn call_back(window: WebviewWindow, title: String, text: String) -> Result<(), WireError> {
    if window.is_focused().unwrap_or(false) {
        return Ok(());
    }
    notification::show(title, text);
    let attention = Some(UserAttentionType::Informational);
    window.request_user_attention(attention).map_err(|error| WireError::internal(&error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wire::{HostKind, Start};

    use super::*;

    #[test]
    fn running_calls_belong_to_their_window() {
        let windows = Windows::new(Path::new("/nowhere"));
        windows.begin_call("main", "a");
        windows.begin_call("extra-1", "b");
        windows.begin_call("main", "c");
        windows.end_call("a");
        assert_eq!(windows.calls_of("main"), ["c"]);
        assert_eq!(windows.calls_of("extra-1"), ["b"]);
    }

    #[test]
    fn closing_a_window_cancels_its_running_calls() {
        let home = std::env::temp_dir().join(format!("timberline-windows-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a folder");
        let log = home.join("long.log");
        std::fs::write(&log, "2026-03-01 14:05:00 INFO one\n".repeat(1_000_000)).expect("a log");
        let start =
            Start { version: String::new(), host: HostKind::Desktop, home: home.clone(), paths: Vec::new() };
        let (session, windows) = (Session::new(start), Windows::new(&home));
        let command = |command: serde_json::Value| serde_json::from_value(command).expect("a command");
        let create = json!({ "command": "createCase", "args": { "paths": [log] } });
        let created = session.dispatch("create", command(create), |_| {}).expect("a case");
        let import = json!({ "command": "import", "args": { "case": created["path"], "paths": [log] } });
        windows.begin_call("main", "import");
        let closed_at_first_events = |progress: serde_json::Value| {
            if progress["events"].as_u64() > Some(0) {
                windows.cancel_calls("other", &session);
                windows.cancel_calls("main", &session);
            }
        };
        let report = session.dispatch("import", command(import), closed_at_first_events).expect("a report");
        assert_eq!(report["cancelled"], true);
        let kept = report["case"]["events"].as_u64().expect("a count");
        assert!(kept > 0 && kept < 1_000_000, "{kept} events are kept");
        std::fs::remove_dir_all(&home).expect("it can be removed");
    }
}
