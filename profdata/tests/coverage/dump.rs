//! Mappings as `clang -Xclang -dump-coverage-mapping` prints them.
