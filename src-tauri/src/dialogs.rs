//! The system's own dialogs for choosing what to open and where to save.

use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FilePath};

/// Asks for files. Nothing chosen is an empty list.
#[tauri::command]
pub async fn choose_files(app: AppHandle) -> Vec<String> {
    names(app.dialog().file().set_title("Open log files").blocking_pick_files())
}

/// Asks for folders. Nothing chosen is an empty list.
#[tauri::command]
pub async fn choose_folder(app: AppHandle) -> Vec<String> {
    names(app.dialog().file().set_title("Open folders of logs").blocking_pick_folders())
}

/// Asks where to save a file. Nothing when a person thought better of it.
#[tauri::command]
pub async fn choose_save(app: AppHandle, name: String) -> Option<String> {
    app.dialog()
        .file()
        .set_title("Save")
        .set_file_name(name)
        .blocking_save_file()
        .map(|path| path.to_string())
}

fn names(chosen: Option<Vec<FilePath>>) -> Vec<String> {
    chosen.unwrap_or_default().iter().map(ToString::to_string).collect()
}
