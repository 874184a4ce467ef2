//! Reads blobs of names: of raw profiles and of vtable names.
