//! Reads indexed profiles of version 1 to 14.
