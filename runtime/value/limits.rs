//! The limits of value profiling.
//!
//! | limit | default | largest | set by |
//! | --- | --- | --- | --- |
//! | values of a site ([`values_per_site`]) | 24; 255 where heads are allocated at run time | 255, what a profile can hold | `LLVM_VP_MAX_NUM_VALS_PER_SITE`, `lprofSetMaxValsPerSite` |
//! | nodes from mapped pages ([`mapped_nodes`]) | none | none | `PROFRT_MAX_VALUE_NODES` |
//! | pairs of a write ([`Budget`]) | none | none | the caller, for its buffer |
//!
//! `crate::lifecycle::value_limits` reads the variables of the environment. What can change is in files of its own, because programs without
//! values must not link it all.

pub mod mapped_nodes;
pub mod values_per_site;

/// The number of pairs that a write may still write; it leaves out the values of later sites.
#[derive(Debug)]
pub struct Budget(pub u64);
