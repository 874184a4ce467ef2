//! Sets what the runtime's build script sets where threads are told apart.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(thread_pointers)");
    println!("cargo::rustc-cfg=thread_pointers");
}
