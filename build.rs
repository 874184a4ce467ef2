//! Names for conditions, so that the code never repeats a list of targets or features.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(raw, values(\"8\", \"9\", \"10\", \"11\"))");
    println!("cargo::rustc-check-cfg=cfg(profrt_panic_proof)");

    // The raw version: at most one feature; none means 10.
    let chosen: Vec<&str> = ["8", "9", "10", "11"]
        .into_iter()
        .filter(|n| env::var_os(format!("CARGO_FEATURE_RAW_{n}")).is_some())
        .collect();
    match chosen[..] {
        [] => println!("cargo::rustc-cfg=raw=\"10\""),
        [one] => println!("cargo::rustc-cfg=raw=\"{one}\""),
        _ => {
            println!(
                "cargo::error=features raw-{} exclude each other: an archive serves one raw version. \
                 Choose one, or none for raw-10",
                chosen.join(" and raw-")
            );
            std::process::exit(1);
        }
    }
}
