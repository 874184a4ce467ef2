//! LLVM releases: which versions each writes and reads, and where their bytes differ.
