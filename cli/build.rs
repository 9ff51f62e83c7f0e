//! The workbench is part of the program: when its files change, the program is built again.

fn main() {
    println!("cargo:rerun-if-changed=../dist");
}
