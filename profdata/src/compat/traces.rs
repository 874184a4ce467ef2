//! Temporal traces: LLVM keeps 100 of them, chosen at random from all that it has seen.

use std::collections::HashSet;

use crate::compat::twister::Twister;
use crate::sink::Trace;

/// The traces that are kept, by default.
const KEPT: usize = 100;
/// The functions of a trace that are kept, by default.
const LONGEST: usize = 10_000;
/// LLVM draws a number for each trace that the input's tool has seen, which may be 2^64 of them. Here no more than so many are drawn.
const MOST_DRAWS: u64 = 1 << 24;

/// The traces of one context.
#[derive(Clone, Debug)]
pub(super) struct Reservoir {
    /// How many traces are kept.
    pub(super) kept: usize,
    /// How many functions of a trace are kept.
    pub(super) longest: usize,
    pub(super) traces: Vec<Trace>,
    /// Traces that were ever seen.
    pub(super) stream_size: u64,
    twister: Twister,
}

impl Default for Reservoir {
    fn default() -> Reservoir {
        Reservoir { kept: KEPT, longest: LONGEST, traces: Vec::new(), stream_size: 0, twister: Twister::default() }
    }
}

impl Reservoir {
    /// Adds the traces of an input, as LLVM 22 and later.
    pub(super) fn add(&mut self, mut traces: Vec<Trace>, stream_size: u64) {
        self.traces.truncate(self.kept);
        traces.iter_mut().for_each(|trace| trace.functions.truncate(self.longest));
        traces.retain(|trace| !trace.functions.is_empty());
        if traces.is_empty() {
            return;
        }
        let room = self.kept.saturating_sub(self.traces.len()).min(traces.len());
        self.traces.extend(traces.drain(..room));
        self.twister.shuffle(&mut traces);
        let mut rest = traces.into_iter().peekable();
        let kept = self.traces.len() as u64;
        for seen in (kept..stream_size).take(MOST_DRAWS as usize) {
            if rest.peek().is_none() {
                break;
            }
            let place = self.twister.up_to(seen);
            if let Some(slot) = usize::try_from(place).ok().and_then(|place| self.traces.get_mut(place))
                && let Some(trace) = rest.next()
            {
                *slot = trace;
            }
        }
        self.stream_size = self.stream_size.wrapping_add(stream_size);
    }

    /// Adds the traces of an input, as LLVM 17 to 21. They take a stream of more than 100 for a sample of that stream, whatever its number
    /// of traces, and count all other streams anew.
    pub(super) fn add_before_22(&mut self, mut traces: Vec<Trace>, mut stream_size: u64) {
        if traces.is_empty() {
            return;
        }
        let sampled = |size: u64| size > self.kept as u64;
        if !sampled(self.stream_size) && sampled(stream_size) {
            std::mem::swap(&mut self.traces, &mut traces);
            std::mem::swap(&mut self.stream_size, &mut stream_size);
        }
        if !sampled(stream_size) {
            traces.into_iter().for_each(|trace| self.add_one(trace));
            return;
        }
        let (mut places, mut known) = (Vec::new(), HashSet::new());
        for _ in 0..stream_size.min(MOST_DRAWS) {
            let place = self.twister.up_to(self.stream_size);
            if let Ok(place) = usize::try_from(place)
                && place < self.traces.len()
                && known.insert(place)
            {
                places.push(place);
            }
            self.stream_size = self.stream_size.wrapping_add(1);
        }
        self.twister.shuffle(&mut traces);
        for (place, trace) in places.into_iter().zip(traces) {
            if let Some(slot) = self.traces.get_mut(place) {
                *slot = trace;
            }
        }
    }

    fn add_one(&mut self, mut trace: Trace) {
        trace.functions.truncate(self.longest);
        if trace.functions.is_empty() {
            return;
        }
        if self.stream_size < self.kept as u64 {
            self.traces.push(trace);
        } else {
            let place = self.twister.up_to(self.stream_size);
            if let Some(slot) = usize::try_from(place).ok().and_then(|place| self.traces.get_mut(place)) {
                *slot = trace;
            }
        }
        self.stream_size = self.stream_size.wrapping_add(1);
    }
}
