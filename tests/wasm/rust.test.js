// Rust for WebAssembly, with the standard library instrumented and no C compiler: every line has the count that the program has counted itself.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { test, before } = require('node:test');
const { PROFRT, node, raws, run, scratch, wasmtime } = require('./tools.js');

const { CARGO = '/usr/bin/cargo', RUSTC = '/usr/bin/rustc', CARGO_TARGET_DIR: target } = process.env;
const crate = path.join(__dirname, 'traced');

// Writes a program: functions of nested statements, each on a line that counts itself. The same seed makes the same program.
function write(seed) {
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

const seed = Number(process.env.SEED ?? Date.now() % 100000);
let counted;
before(() => {
  console.log(`# SEED=${seed}`);
  counted = write(seed);
});

// Builds for a target with Debian's compiler, or one that is as new. Programs of the build can be linked, but there is no C compiler.
function build(triple, std, flags, ...args) {
  const bin = scratch();
  for (const [name, file] of Object.entries({ ld: run('which', 'ld').trim(), 'wasm-ld': run('which', 'wasm-ld-22').trim() })) fs.symlinkSync(file, path.join(bin, name));
  const env = {
    HOME: process.env.HOME,
    PATH: bin,
    RUSTC,
    RUSTC_BOOTSTRAP: '1',
    CARGO_TARGET_DIR: target,
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER: run('which', 'gcc').trim(),
    [`CARGO_TARGET_${triple.toUpperCase().replaceAll('-', '_')}_LINKER`]: 'wasm-ld',
    [`CARGO_TARGET_${triple.toUpperCase().replaceAll('-', '_')}_RUSTFLAGS`]: ['-Cinstrument-coverage', '-Zno-profiler-runtime', ...flags].join(' '),
  };
  for (const name of ['CARGO_HOME', 'RUSTUP_HOME']) if (process.env[name]) env[name] = process.env[name];
  execFileSync(CARGO, ['build', '--quiet', `-Zbuild-std=${std}`, '--target', triple, ...args], { cwd: crate, env, stdio: ['ignore', 'inherit', 'inherit'] });
  fs.rmSync(bin, { recursive: true });
  return path.join(target, triple, 'debug/traced.wasm');
}

// Compares the lines of a report with what the program has counted.
function compare(module, profile, hits) {
  const lcov = run(PROFRT, 'cov', profile, '--object', module, '--only', '**/body.rs', '--lcov', '-');
  const found = new Map([...lcov.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [Number(line), Number(count)]));
  const wrong = counted.filter((line) => found.get(line) !== hits(line)).map((line) => `line ${line}: ${found.get(line)}, not ${hits(line)}`);
  assert.deepEqual(wrong, []);
  assert.ok(counted.length > 100 && counted.some((line) => hits(line) > 0));
}

test('WASI', () => {
  const libc = '/usr/lib/wasm32-wasi';
  const flags = ['-Clink-self-contained=no', `-Clink-arg=${libc}/crt1-command.o`, `-Clink-arg=-L${libc}`];
  const module = build('wasm32-wasip1', 'std,panic_abort', flags, '--bin', 'traced', '--features', 'wasi');
  for (const engine of [node, wasmtime]) {
    const dir = scratch();
    const ran = [['1', '5'], ['7']].map((args) => engine(module, dir, { args, env: { LLVM_PROFILE_FILE: '%m.profraw' } }));
    assert.deepEqual(ran.map(({ code, lines }) => [code, lines]), [[0, []], [0, []]]);
    const hits = ran.map(({ out }) => new Map(out.trim().split('\n').map((line) => line.split(' ').map(Number))));
    compare(module, path.join(dir, raws(dir)[0]), (line) => hits[0].get(line) + hits[1].get(line));
    fs.rmSync(dir, { recursive: true });
  }
});

test('JavaScript: capture, merge and reset', () => {
  const module = build('wasm32-unknown-unknown', 'core', [], '--lib');
  const dir = scratch();
  const file = path.join(dir, 'captured.profraw');
  const instance = () => new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(module)), {}).exports;
  const bytes = (exports, len) => new Uint8Array(exports.memory.buffer, exports.buffer(), len);
  const capture = (exports) => {
    const len = exports.capture();
    assert.ok(len > 0);
    return Buffer.from(bytes(exports, len));
  };
  const first = instance();
  first.run(3);
  first.run(8);
  const profile = capture(first);
  fs.writeFileSync(file, profile);
  compare(module, file, first.hits);

  // Another instance goes on where the first has stopped.
  const second = instance();
  second.run(9);
  bytes(second, profile.length).set(profile);
  assert.ok(second.merge(profile.length));
  second.run(4);
  fs.writeFileSync(file, capture(second));
  compare(module, file, (line) => first.hits(line) + second.hits(line));

  // What is no profile of this module changes nothing.
  for (const damage of [(copy) => copy.subarray(0, 100), (copy) => copy.fill(0, 0, 8), (copy) => copy.fill(7, 24, 32)]) {
    const damaged = damage(Buffer.from(profile));
    bytes(second, damaged.length).set(damaged);
    assert.ok(!second.merge(damaged.length));
  }
  fs.writeFileSync(file, capture(second));
  compare(module, file, (line) => first.hits(line) + second.hits(line));

  second.reset();
  const hits = new Map(counted.map((line) => [line, second.hits(line)]));
  second.run(5);
  fs.writeFileSync(file, capture(second));
  compare(module, file, (line) => second.hits(line) - hits.get(line));

  // The module exports nothing of the runtime but the symbol that has linked it.
  const names = Object.keys(second).filter((name) => /^(__llvm|lprof|profrt)/.test(name));
  assert.deepEqual(names, ['__llvm_profile_runtime']);
  fs.rmSync(dir, { recursive: true });
});
