// The variables of `abi::variables` for use as a crate, where assembly cannot do it: the compiler defines some of them in the
// same module when the crate itself is instrumented, or when fat LTO has made one module of all (rust-lang/rust#133974).
// Only what has no definition in the program comes from here: both are weak.

#define WEAK __attribute__((weak, visibility("hidden")))

WEAK const unsigned long long __llvm_profile_raw_version = PROFRT_RAW;
WEAK const char __llvm_profile_filename[1] = "";
