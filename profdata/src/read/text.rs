//! Reads the text form.
