//! A sink that changes records and hands on the rest.

use profdata::error::Error;
use profdata::finding::Finding;
use profdata::sink::Trace;
use profdata::sink::{Heading, Name, RecordRef, Sink};

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

    fn expects(&self, name: Name<'_>) -> bool {
        self.sink.expects(name)
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.sink.binary_id(id);
    }

    fn vtable_name(&mut self, name: &[u8]) {
        self.sink.vtable_name(name);
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        self.sink.traces(traces, stream_size);
    }

    fn memprof(&mut self, section: &[u8], start: u64) {
        self.sink.memprof(section, start);
    }

    fn finding(&mut self, finding: Finding) {
        self.sink.finding(finding);
    }
}
