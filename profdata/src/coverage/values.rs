//! The values of counters: each expression is computed once, whatever refers to it.

use super::counter::{Counter, Term};
use super::malformed;
use crate::error::Error;

/// The counters of a function, and the values of its expressions as far as they are known.
pub(super) struct Values<'r> {
    expressions: &'r [[Counter; 2]],
    counters: &'r [u64],
    /// Of expressions.
    values: Vec<Value>,
    /// Expressions that wait for their operands: they are as deep as they like, so there is no recursion.
    waiting: Vec<Counter>,
    /// A difference says nothing.
    is_least: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Value {
    New,
    Waiting,
    /// Wide enough for every sum of counters that are added once; saturating for those that double themselves.
    Known(i128),
}

impl<'r> Values<'r> {
    pub(super) fn new(expressions: &'r [[Counter; 2]], counters: &'r [u64]) -> Values<'r> {
        let values = vec![Value::New; expressions.len()];
        Values { expressions, counters, values, waiting: Vec::new(), is_least: false }
    }

    /// Returns the least values while calls may wait: what was entered has not reached what is counted by a difference.
    pub(super) fn least(expressions: &'r [[Counter; 2]], counters: &'r [u64]) -> Values<'r> {
        Values { is_least: true, ..Values::new(expressions, counters) }
    }

    /// Returns the value of a counter. Errors: it contains itself; a counter is not there.
    pub(super) fn of(&mut self, counter: Counter) -> Result<i128, Error> {
        match self.known(counter)? {
            Some(value) => Ok(value),
            None => self.compute(counter),
        }
    }

    /// Returns the value of a counter unless it is an expression that is not known.
    fn known(&self, counter: Counter) -> Result<Option<i128>, Error> {
        match counter.term() {
            Term::Zero => Ok(Some(0)),
            Term::Counter(number) => match self.counters.get(number as usize) {
                Some(count) => Ok(Some(i128::from(*count))),
                None => Err(malformed("counter")
                    .expected(format_args!("a number below {}", self.counters.len()))
                    .found(number)),
            },
            Term::Subtract(number) | Term::Add(number) => {
                let Some(Value::Known(value)) = self.values.get(number as usize) else { return Ok(None) };
                Ok(Some(*value))
            }
        }
    }

    /// Computes an expression, after all expressions in it.
    fn compute(&mut self, counter: Counter) -> Result<i128, Error> {
        let mut last = 0;
        self.waiting.push(counter);
        while let Some(counter) = self.waiting.last().copied() {
            let (number, is_sum) = match counter.term() {
                Term::Subtract(number) => (number as usize, false),
                Term::Add(number) => (number as usize, true),
                Term::Zero | Term::Counter(_) => (usize::MAX, true),
            };
            let missing = || malformed("expression").expected("the number of one of the function");
            let [left, right] = *self.expressions.get(number).ok_or_else(missing)?;
            let value = self.values.get_mut(number).ok_or_else(missing)?;
            let was = std::mem::replace(value, Value::Waiting);
            let (left, right) = match (self.known(left)?, self.known(right)?) {
                (Some(left), Some(right)) => (left, right),
                // What waits has come here again, and an operand still is not known.
                _ if was == Value::Waiting => return Err(malformed("expression").found("one that contains itself")),
                (left_value, right_value) => {
                    let unknown = [(left, left_value), (right, right_value)];
                    self.waiting
                        .extend(unknown.iter().filter(|(_, value)| value.is_none()).map(|(operand, _)| operand));
                    continue;
                }
            };
            last = match is_sum {
                true => left.saturating_add(right),
                false if self.is_least => 0,
                false => left.saturating_sub(right),
            };
            self.values.get_mut(number).into_iter().for_each(|value| *value = Value::Known(last));
            self.waiting.pop();
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(number: u32, tag: u32) -> Counter {
        Counter::of(number << 2 | tag)
    }

    #[test]
    fn sums_and_differences() {
        let [a, b] = [counter(0, 1), counter(1, 1)];
        let expressions = [[counter(1, 2), b], [a, b], [counter(0, 3), counter(0, 3)]];
        let mut values = Values::new(&expressions, &[3, 5]);
        // 3 - 5 stays negative inside.
        assert_eq!(values.of(counter(0, 3)).unwrap(), 3);
        assert_eq!(values.of(counter(1, 2)).unwrap(), -2);
        assert_eq!(values.of(counter(2, 3)).unwrap(), 6);
        assert_eq!(values.of(Counter::ZERO).unwrap(), 0);
        assert!(values.of(counter(2, 1)).is_err());
        assert!(values.of(counter(3, 3)).is_err());
    }

    #[test]
    fn deep_expressions_and_circles() {
        let many = 100_000;
        let mut expressions: Vec<_> = (1..many).map(|next| [counter(next, 3), counter(next, 3)]).collect();
        expressions.push([counter(0, 1), Counter::ZERO]);
        assert_eq!(Values::new(&expressions, &[1]).of(counter(0, 3)).unwrap(), i128::MAX);
        assert_eq!(Values::new(&expressions, &[0]).of(counter(0, 3)).unwrap(), 0);
        expressions.push([counter(many, 2), counter(0, 1)]);
        assert!(Values::new(&expressions, &[1]).of(counter(many, 2)).is_err());
        let circle = [[counter(1, 3), counter(0, 1)], [counter(0, 1), counter(0, 2)]];
        assert!(Values::new(&circle, &[1]).of(counter(1, 3)).is_err());
    }
}
