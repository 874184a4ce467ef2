//! The order is that of `std::sort` of the installed C++ library, where there is one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;
use crate::values::Value;

fn by_value(values: &mut [Value]) {
    sort_as_libstdcxx(values, |value| value.value);
}

fn by_heap(values: &mut [Value]) {
    heap_sort(values, |value| value.value);
}

/// Inputs with many equal values, of sizes around the limits.
fn inputs() -> Vec<Vec<u64>> {
    let mut state = 1u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut inputs = vec![vec![0; 300], (0..400).collect(), (0..400).rev().collect()];
    for size in [0, 1, 2, 15, 16, 17, 18, 31, 32, 33, 64, 100, 255, 256, 300, 511, 1000] {
        for values in [1, 2, 5, 40, u64::MAX] {
            inputs.push((0..size).map(|_| next() % values).collect());
        }
    }
    inputs
}

/// Returns the values with their places as counts, sorted.
fn sorted(input: &[u64], sort: fn(&mut [Value])) -> Vec<Value> {
    let mut values: Vec<_> =
        input.iter().enumerate().map(|(count, value)| Value { value: *value, count: count as u64 }).collect();
    sort(&mut values);
    values
}

fn places(values: &[Value]) -> String {
    values.iter().fold(String::new(), |mut line, value| {
        write!(line, "{} ", value.count).unwrap();
        line
    })
}

#[test]
fn values_are_sorted() {
    for input in inputs() {
        let mut expected = input.clone();
        expected.sort_unstable();
        for sort in [by_value, by_heap] {
            let values = sorted(&input, sort);
            assert!(values.iter().map(|value| value.value).eq(expected.iter().copied()));
            assert!(values.iter().all(|value| input.get(value.count as usize) == Some(&value.value)));
        }
    }
}

/// Compares with the C++ library itself, where there is a compiler with libstdc++.
#[test]
fn equal_values_stand_as_in_libstdcxx() {
    const SOURCE: &str = r#"
        #include <algorithm>
        #include <cstdio>
        #include <utility>
        #include <vector>
        #ifndef __GLIBCXX__
        #error not libstdc++
        #endif
        using Entry = std::pair<unsigned long long, unsigned>;
        static bool less(const Entry &a, const Entry &b) { return a.first < b.first; }
        static void show(const std::vector<Entry> &v) {
            for (const Entry &e : v) std::printf("%u ", e.second);
            std::printf("\n");
        }
        // Returns an order for which each pivot is nearly the smallest: the sort itself finds it, because its comparisons decide.
        static std::vector<Entry> killer(unsigned n) {
            const unsigned open = n;
            unsigned decided = 0, candidate = 0;
            std::vector<unsigned> value(n, open), places(n);
            for (unsigned i = 0; i < n; ++i) places[i] = i;
            std::sort(places.begin(), places.end(), [&](unsigned a, unsigned b) {
                if (value[a] == open && value[b] == open) value[a == candidate ? a : b] = decided++;
                if (value[a] == open) candidate = a;
                else if (value[b] == open) candidate = b;
                return value[a] < value[b];
            });
            std::vector<Entry> v(n);
            for (unsigned i = 0; i < n; ++i) v[i] = {value[i] / 2, i};
            return v;
        }
        int main() {
            unsigned n;
            while (std::scanf("%u", &n) == 1) {
                std::vector<Entry> v(n);
                for (unsigned i = 0; i < n; ++i) {
                    if (std::scanf("%llu", &v[i].first) != 1) return 1;
                    v[i].second = i;
                }
                std::vector<Entry> heap = v;
                std::sort(v.begin(), v.end(), less);
                show(v);
                std::partial_sort(heap.begin(), heap.end(), heap.end(), less);
                show(heap);
            }
            for (unsigned n : {100, 255, 1000, 3000}) {
                std::vector<Entry> v = killer(n);
                for (const Entry &e : v) std::printf("%llu ", e.first);
                std::printf("\n");
                std::sort(v.begin(), v.end(), less);
                show(v);
            }
        }
    "#;
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("sort");
    let compile = |compiler: &str| {
        let arguments = ["-x", "c++", "-std=c++14", "-O1", "-o"];
        let child = Command::new(compiler).args(arguments).arg(&program).arg("-").stdin(Stdio::piped()).spawn();
        let Ok(mut child) = child else { return false };
        child.stdin.take().unwrap().write_all(SOURCE.as_bytes()).unwrap();
        child.wait().unwrap().success()
    };
    if !["g++", "clang++", "c++"].into_iter().any(compile) {
        println!("skipped: no C++ compiler with libstdc++");
        return;
    }
    let inputs = inputs();
    let mut text = String::new();
    for input in &inputs {
        write!(text, "{}", input.len()).unwrap();
        input.iter().for_each(|value| write!(text, " {value}").unwrap());
        text.push('\n');
    }
    let file = directory.path().join("inputs");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(&program).stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    let mut lines = output.lines();
    for input in &inputs {
        for sort in [by_value, by_heap] {
            assert!(lines.next() == Some(&places(&sorted(input, sort))), "{input:?}");
        }
    }
    let mut killers = 0;
    while let Some(input) = lines.next() {
        let input: Vec<u64> = input.split_whitespace().map(|value| value.parse().unwrap()).collect();
        assert!(lines.next() == Some(&places(&sorted(&input, by_value))), "{input:?}");
        killers += 1;
    }
    assert_eq!(killers, 4);
}
