//! Whether this process may write its profile again.

/// Whether another write of this process may follow. If so, this write keeps what the next one needs to count nothing twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterWrites {
    /// This write is the last one.
    None,
    /// The program goes on, or a signal may request another dump.
    Possible,
}
