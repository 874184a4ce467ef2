//! LLVM's words.

use crate::finding::FindingKind;

/// What `llvm-profdata` prints on a line of its own after the first mismatch of counters or value sites that an input's record has.
pub const SAME_BINARY_HINT: &str = "Make sure that all profile data to be merged is generated from the same binary.";

/// Returns the message of `llvm-profdata` for a finding; `None` when it prints nothing. After the message about a counter that is too large
/// it prints `: ` and the count.
pub fn llvm_message(finding: &FindingKind) -> Option<&'static str> {
    Some(match finding {
        FindingKind::CounterMismatch { .. } | FindingKind::PseudoMismatch => {
            "function basic block count change detected (counter mismatch)"
        }
        FindingKind::BitmapMismatch { .. } => "function bitmap size change detected (bitmap size mismatch)",
        FindingKind::ValueSiteMismatch { .. } => "function value site count change detected (counter mismatch)",
        FindingKind::CounterOverflow { .. } | FindingKind::ValueOverflow { .. } => "counter overflow",
        FindingKind::CounterTooLarge { .. } => "excessively large counter value suggests corrupted profile data",
        _ => return None,
    })
}

/// Returns whether `llvm-profdata` prints [`SAME_BINARY_HINT`] after the first message of this kind about an input's record.
pub fn has_hint(finding: &FindingKind) -> bool {
    matches!(
        finding,
        FindingKind::CounterMismatch { .. } | FindingKind::PseudoMismatch | FindingKind::ValueSiteMismatch { .. }
    )
}
