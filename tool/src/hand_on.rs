//! A sink that changes records and hands on the rest.

use profdata::error::Error;
use profdata::sink::{Heading, RecordRef, Sink};

/// Calls a function with each record and the sink that gets it.
pub(crate) struct EachRecord<'a, F> {
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) record: F,
}

impl<F: FnMut(RecordRef<'_>, &mut dyn Sink) -> Result<(), Error>> Sink for EachRecord<'_, F> {
    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        (self.record)(record, self.sink)
    }

    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.sink.heading(heading)
    }

    fn next(&mut self) -> Option<&mut dyn Sink> {
        Some(self.sink)
    }
}
