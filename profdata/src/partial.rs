//! Partial results: merged profiles that merge further.
