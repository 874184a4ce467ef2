//! Merges profiles as `llvm-profdata` does, to the bit, its defects too.
