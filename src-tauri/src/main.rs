//! The desktop window: it hosts the screen and hands every call to `wire`.
//!
//! What the product does is in `wire` and below. Here is only what needs a window: Tauri's own calls,
//! the windows, the file dialogs, and the command line. Files dropped on the window reach the screen through
//! Tauri's drag-and-drop event, with their paths.

// A release build on Windows would open a console next to the window.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod dialogs;
mod instance;
mod notification;
mod placement;
mod windows;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, RunEvent, State, Window};
use wire::{Command, HostKind, Session, Start, WireError};

/// Answers one call of the screen. What the call reports meanwhile goes over the channel.
#[tauri::command]
async fn dispatch(
    window: Window,
    session: State<'_, Arc<Session>>,
    windows: State<'_, windows::Windows>,
    id: String,
    command: Command,
    channel: Channel<Value>,
) -> Result<Value, WireError> {
    let session = Arc::clone(&session);
    windows.begin_call(window.label(), &id);
    let call = id.clone();
    let answer = tauri::async_runtime::spawn_blocking(move || {
        session.dispatch(&call, command, |progress| {
            // The window may close while a call still runs; there is then nobody to tell.
            let _ = channel.send(progress);
        })
    });
    let answer = answer.await;
    windows.end_call(&id);
    answer.unwrap_or_else(|failure| Err(WireError::internal(&failure)))
}

/// The files and folders named on the command line, as absolute paths: the screen shows them, and a
/// case remembers them, after the folder they were relative to is forgotten.
fn named_paths(arguments: impl Iterator<Item = std::ffi::OsString>) -> Vec<PathBuf> {
    arguments.map(PathBuf::from).map(|path| std::path::absolute(&path).unwrap_or(path)).collect()
}

fn main() {
    let home = wire::home();
    let paths = named_paths(std::env::args_os().skip(1));
    let first = match instance::start(&home, &paths) {
        instance::Start::HandedOver => return,
        instance::Start::First(first) => Some(first),
        instance::Start::Alone => None,
    };
    let start = Start {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: HostKind::Desktop,
        home: home.clone(),
        paths,
    };
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .manage(Arc::new(Session::new(start)))
        .manage(windows::Windows::new(&home))
        .on_window_event(windows::heard)
        .invoke_handler(tauri::generate_handler![
            dispatch,
            dialogs::choose_files,
            dialogs::choose_folder,
            dialogs::choose_save,
            windows::window_paths,
            windows::open_window,
            windows::show_progress,
            windows::call_back
        ])
        .setup(move |app| {
            windows::open_first(app.handle())?;
            if let Some(first) = first {
                let app = app.handle().clone();
                first.serve(move |paths| opened(&app, &paths));
            }
            Ok(())
        })
        .build(tauri::generate_context!())
        .expect("the window can be opened");
    app.run(|app, event| heard(app, &event));
}

/// Another start, or the system, asks for these files: they get a window of their own, so that what is being
/// looked at stays. Without files a window comes to the front.
fn opened(app: &AppHandle, paths: &[PathBuf]) {
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    if paths.is_empty() || windows::open(app, paths).is_err() {
        windows::show(app);
    }
}

/// macOS names the files of a double click in an event instead of on the command line.
fn heard(app: &AppHandle, event: &RunEvent) {
    if matches!(event, RunEvent::Exit) {
        app.state::<Arc<Session>>().finish();
    }
    #[cfg(target_os = "macos")]
    if let RunEvent::Opened { urls } = event {
        let paths: Vec<PathBuf> = urls.iter().filter_map(|url| url.to_file_path().ok()).collect();
        opened(app, &paths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_become_absolute() {
        let here = std::env::current_dir().expect("a current folder");
        let paths = named_paths(["logs/access.log".into(), "/var/log".into()].into_iter());
        assert_eq!(paths[0], here.join("logs/access.log"));
        assert!(paths[1].is_absolute());
    }
}
