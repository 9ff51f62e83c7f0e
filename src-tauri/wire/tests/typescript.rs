//! The TypeScript that the screen is compiled with is the one made from this crate.

use std::path::Path;

#[test]
fn generated_types_are_fresh() {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let path = Path::new(&here).join("../../src/ipc/generated.ts");
    let fresh = wire::typescript::generate();
    if std::env::var_os("TIMBERLINE_BLESS").is_some() {
        std::fs::write(&path, &fresh).expect("generated.ts can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("generated.ts is there");
    assert!(committed == fresh, "src/ipc/generated.ts is stale; renew it with: npm run bless");
}
