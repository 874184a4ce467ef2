//! Command lines of `order`.

/// Command lines that need no raw profile.
pub const LINES: &[&str] = &[
    "order",
    "order missing",
    "order trace.proftext trace2.proftext",
    "order -nonsense trace.proftext",
    "order trace.proftext",
    "order trace.profdata",
    "order trace2.proftext",
    "order traces.proftext",
    "order manytraces.proftext",
    "order fewtraces.proftext",
    "order localnames.proftext",
    "order ir.proftext",
    "order fe.profdata",
    "order empty.profraw",
    "order junk.profraw",
    "order binary.profraw",
    "order cut2.proftext",
    "order badhead.proftext",
    "order badtrace.proftext",
    "order bad-version.profdata",
    "order cut-table.profdata",
    "order trace.proftext -o out",
    "order --output out manytraces.proftext",
    "order trace.proftext -o missing/out",
    "order -num-test-traces=1 trace.proftext",
    "order -num-test-traces=2 trace.proftext",
    "order -num-test-traces=9 trace.proftext",
    "order -num-test-traces=0 trace.proftext",
    "order -num-test-traces=x trace.proftext",
    "order -num-test-traces=7 manytraces.proftext",
    "order -num-test-traces=60 traces.proftext",
];

/// Command lines on raw profiles.
pub const RAW: &[&str] = &[
    "order rawtrace.profraw",
    "order rawir.profraw",
    "order cut-head.profraw",
    "order cut-trace.profraw",
    "order bad-ids.profraw",
];
