//! Lessons and assets are built into the program; when one changes, build again.

fn main() {
    println!("cargo::rerun-if-changed=lessons");
    println!("cargo::rerun-if-changed=assets");
}
