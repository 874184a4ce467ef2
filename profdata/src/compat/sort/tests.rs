use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

/// Inputs with many equal values, of sizes around the limits, and some that are hard for a median of three.
fn inputs() -> Vec<Vec<u64>> {
    let mut state = 1u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut inputs = vec![vec![0; 300], (0..400).collect(), (0..400).rev().collect(), killer(400), killer(3000)];
    for size in [0, 1, 2, 15, 16, 17, 18, 31, 32, 33, 64, 100, 255, 256, 300, 511, 1000] {
        for values in [1, 2, 5, 40, u64::MAX] {
            inputs.push((0..size).map(|_| next() % values).collect());
        }
    }
    inputs
}

/// Returns an order for which a median of three is nearly the smallest each time, so that the sort ends with a heap.
fn killer(size: u64) -> Vec<u64> {
    let half = size / 2;
    let first = (0..half).map(|index| if index % 2 == 0 { index + 1 } else { half + index });
    first.chain((0..half).map(|index| 2 * (index + 1))).collect()
}

fn sorted(input: &[u64]) -> Vec<Value> {
    let mut values: Vec<_> =
        input.iter().enumerate().map(|(count, value)| Value { value: *value, count: count as u64 }).collect();
    by_value(&mut values);
    values
}

#[test]
fn values_are_sorted() {
    for input in inputs() {
        let mut expected = input.clone();
        expected.sort_unstable();
        let values = sorted(&input);
        assert!(values.iter().map(|value| value.value).eq(expected));
        assert!(values.iter().all(|value| input.get(value.count as usize) == Some(&value.value)));
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
        int main() {
            unsigned n;
            while (std::scanf("%u", &n) == 1) {
                std::vector<Entry> v(n);
                for (unsigned i = 0; i < n; ++i) {
                    if (std::scanf("%llu", &v[i].first) != 1) return 1;
                    v[i].second = i;
                }
                std::sort(v.begin(), v.end(), [](const Entry &a, const Entry &b) { return a.first < b.first; });
                for (const Entry &e : v) std::printf("%u ", e.second);
                std::printf("\n");
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
    let (mut text, mut expected) = (String::new(), String::new());
    for input in &inputs {
        write!(text, "{}", input.len()).unwrap();
        input.iter().for_each(|value| write!(text, " {value}").unwrap());
        text.push('\n');
        sorted(input).iter().for_each(|value| write!(expected, "{} ", value.count).unwrap());
        expected.push('\n');
    }
    let file = directory.path().join("inputs");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(&program).stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    for ((input, theirs), ours) in inputs.iter().zip(output.lines()).zip(expected.lines()) {
        assert!(theirs == ours, "{input:?}");
    }
}
