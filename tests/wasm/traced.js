// A random program that counts its own lines, for Rust on any target: what each line has counted is what the report says.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');

const crate = path.join(__dirname, 'traced');
const seed = Number(process.env.SEED ?? Date.now() % 100000);

// Writes a program: functions of nested statements, each on a line that counts itself. The same seed makes the same program.
function write() {
  console.log(`# SEED=${seed}`);
  let state = seed;
  const random = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % below;
  };
  const lines = ['use crate::t;'];
  const counted = [];
  const put = (depth, text) => lines.push('    '.repeat(depth) + text);
  const count = (depth, text) => {
    put(depth, `t(line!()); ${text}`);
    counted.push(lines.length);
  };
  let calls = 0;
  const statements = (depth, f) => {
    for (let n = 1 + random(3); n > 0; n--) {
      const value = random(7) + 2;
      switch (depth > 4 ? 0 : random(8)) {
        case 1:
          put(depth, `if x % ${value} == ${random(value)} {`);
          statements(depth + 1, f);
          if (random(2)) {
            put(depth, '} else {');
            statements(depth + 1, f);
          }
          put(depth, '}');
          break;
        case 2:
          put(depth, `for i in 0..x % ${value} {`);
          count(depth + 1, 'x ^= i;');
          if (random(2)) {
            put(depth + 1, `if x % 5 == ${random(5)} {`);
            count(depth + 2, random(2) ? 'break;' : 'continue;');
            put(depth + 1, '}');
          }
          statements(depth + 1, f);
          put(depth, '}');
          break;
        case 3:
          put(depth, `match x % ${value} {`);
          for (let arm = 0; arm < value - 1; arm++) {
            put(depth + 1, `${arm} => {`);
            count(depth + 2, `x = x.wrapping_add(${arm});`);
            put(depth + 1, '}');
          }
          put(depth + 1, '_ => {');
          statements(depth + 2, f);
          put(depth + 1, '}');
          put(depth, '}');
          break;
        case 4:
          if (f > 0 && calls++ < 12) count(depth, `x = x.wrapping_add(f${random(f)}(x % 9));`);
          break;
        case 5:
          put(depth, `if (x % ${value} == 0 && x % 2 == 1) || x > 1000 {`);
          count(depth + 1, random(3) ? 'x /= 3;' : 'return x;');
          put(depth, '}');
          break;
        case 6:
          put(depth, `if let Some(y) = x.checked_sub(${value}) {`);
          count(depth + 1, 'x = y;');
          put(depth, '}');
          break;
        case 7:
          put(depth, `x = (0..x % ${value}).filter(|i| {`);
          count(depth + 1, 'i % 2 == 0');
          put(depth, '}).sum::<u32>() + x % 77;');
          break;
        default:
          count(depth, `x = x.wrapping_mul(${value}) % 1009;`);
      }
    }
  };
  for (let f = 0; f < 24; f++) {
    put(0, `fn f${f}(mut x: u32) -> u32 {`);
    statements(1, f);
    count(1, 'x');
    put(0, '}');
  }
  put(0, 'pub fn run(input: u32) -> u32 {');
  count(1, 'let mut x = input;');
  for (let f = 0; f < 23; f++) put(1, `x = x.wrapping_add(f${f}(x % 100));`);
  put(1, 'x');
  put(0, '}');
  assert.ok(lines.length < 2000, `${lines.length} lines`);
  fs.writeFileSync(path.join(crate, 'src/body.rs'), `${lines.join('\n')}\n`);
  return counted;
}

// Compares the lines of a report with what the program has counted.
function compare(counted, lcov, hits) {
  const found = new Map([...lcov.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [Number(line), Number(count)]));
  const wrong = counted.filter((line) => found.get(line) !== hits(line)).map((line) => `line ${line}: ${found.get(line)}, not ${hits(line)}`);
  assert.deepEqual(wrong, []);
  assert.ok(counted.length > 100 && counted.some((line) => hits(line) > 0));
}

module.exports = { compare, crate, write };
