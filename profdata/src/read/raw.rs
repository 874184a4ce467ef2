//! Reads raw profiles of version 7 to 11.
