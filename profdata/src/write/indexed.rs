//! Writes indexed profiles of version 7 to 14.
