//! Sets what the runtime's build script sets where threads are told apart, and the mark of the models.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(thread_pointers)");
    println!("cargo::rustc-cfg=thread_pointers");
    println!("cargo::rustc-check-cfg=cfg(profrt_loom)");
    println!("cargo::rustc-cfg=profrt_loom");
}
