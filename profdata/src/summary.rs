//! The summary of an indexed profile.
