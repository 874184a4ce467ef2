// Rust for WebAssembly, with the standard library instrumented and no C compiler: every line has the count that the program has counted itself.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { test, before } = require('node:test');
const traced = require('./traced.js');
const { PROFRT, node, raws, run, scratch, wasmtime } = require('./tools.js');

const { CARGO = '/usr/bin/cargo', RUSTC = '/usr/bin/rustc', CARGO_TARGET_DIR: target } = process.env;

let counted;
before(() => (counted = traced.write()));

// Runs Cargo for a target with Debian's compiler, or one that is as new. Programs of the build can be linked, but there is no C compiler.
function cargo(cwd, triple, std, flags, ...args) {
  const bin = scratch();
  const tools = { ld: run('which', 'ld').trim(), 'wasm-ld': run('which', 'wasm-ld-22').trim(), node: process.execPath };
  for (const [name, file] of Object.entries(tools)) fs.symlinkSync(file, path.join(bin, name));
  const env = {
    HOME: process.env.HOME,
    PATH: bin,
    RUSTC,
    RUSTC_BOOTSTRAP: '1',
    CARGO_TARGET_DIR: target,
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER: run('which', 'gcc').trim(),
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: path.join(target, 'bin/wasm-bindgen-test-runner'),
    LLVM_PROFILE_FILE: path.join(bin, '%m.profraw'),
    [`CARGO_TARGET_${triple.toUpperCase().replaceAll('-', '_')}_LINKER`]: 'wasm-ld',
    [`CARGO_TARGET_${triple.toUpperCase().replaceAll('-', '_')}_RUSTFLAGS`]: ['-Cinstrument-coverage', '-Zno-profiler-runtime', ...flags].join(' '),
  };
  for (const name of ['CARGO_HOME', 'RUSTUP_HOME']) if (process.env[name]) env[name] = process.env[name];
  execFileSync(CARGO, [...args, `-Zbuild-std=${std}`, '--target', triple], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return bin;
}

function build(triple, std, flags, ...args) {
  fs.rmSync(cargo(traced.crate, triple, std, flags, 'build', '--quiet', ...args), { recursive: true });
  return path.join(target, triple, 'debug/traced.wasm');
}

// Compares the lines of a report with what the program has counted.
const compare = (module, profile, hits) => {
  const lcov = run(PROFRT, 'cov', profile, '--object', module, '--only', '**/body.rs', '--lcov', '-');
  traced.compare(counted, lcov, hits);
};

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

if (process.env.ALL) test('wasm-bindgen-test', () => {
  const crate = path.join(__dirname, 'bindgen');
  const module = path.join(target, 'wasm32-unknown-unknown/debug/deps');
  for (const old of fs.existsSync(module) ? fs.readdirSync(module) : []) if (/^(bindgen|negative)-/.test(old)) fs.rmSync(path.join(module, old));
  const dir = cargo(crate, 'wasm32-unknown-unknown', 'std,panic_abort', ['--cfg=wasm_bindgen_unstable_test_coverage'], 'test', '--tests');
  // Of the library's tests, and of tests/.
  assert.equal(raws(dir).length, 2);
  const lcov = run(PROFRT, 'cov', dir, '--object', module, '--only', '**/bindgen/src/lib.rs', '--lcov', '-');
  const lines = new Map([...lcov.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [Number(line), Number(count)]));
  const source = fs.readFileSync(path.join(crate, 'src/lib.rs'), 'utf8').split('\n');
  const wanted = source.flatMap((text, n) => (/\/\/ (\d+)$/.test(text) ? [[n + 1, Number(text.match(/\d+$/)[0])]] : []));
  assert.deepEqual(wanted.map(([line]) => [line, lines.get(line)]), wanted);
  fs.rmSync(dir, { recursive: true });
});
