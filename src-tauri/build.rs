//! Makes the window's configuration, permissions and icon part of the program.

use std::path::Path;

fn main() {
    let screen = Path::new("../dist");
    if !screen.exists() {
        // The screen is built by Vite. Without it the crate still compiles, so that `cargo check` and
        // the editor work in a fresh clone.
        std::fs::create_dir_all(screen).expect("the folder of the built screen can be made");
    }
    // The screen is embedded when this crate compiles, so a new screen must compile it again.
    println!("cargo:rerun-if-changed=../dist");
    tauri_build::build();
}
