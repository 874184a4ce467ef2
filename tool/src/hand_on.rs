//! Sinks that change one thing and hand on the rest.

/// Writes these methods of a [`profdata::Sink`], each of which calls that of `self.sink`.
macro_rules! hand_on {
    (@ heading) => {
        fn heading(&mut self, heading: &profdata::Heading) -> Result<(), profdata::Error> {
            self.sink.heading(heading)
        }
    };
    (@ expects) => {
        fn expects(&self, name: profdata::Name<'_>) -> bool {
            self.sink.expects(name)
        }
    };
    (@ binary_id) => {
        fn binary_id(&mut self, id: &[u8]) {
            self.sink.binary_id(id);
        }
    };
    (@ vtable_name) => {
        fn vtable_name(&mut self, name: &[u8]) {
            self.sink.vtable_name(name);
        }
    };
    (@ traces) => {
        fn traces(&mut self, traces: &[profdata::sink::Trace], stream_size: u64) {
            self.sink.traces(traces, stream_size);
        }
    };
    (@ memprof) => {
        fn memprof(&mut self, section: &[u8], start: u64) {
            self.sink.memprof(section, start);
        }
    };
    (@ finding) => {
        fn finding(&mut self, finding: profdata::finding::Finding) {
            self.sink.finding(finding);
        }
    };
    ($($method:ident),* $(,)?) => {
        $(hand_on!(@ $method);)*
    };
}
