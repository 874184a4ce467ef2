// Rust for Windows, with the standard library instrumented: every line has the count that the program has counted itself; and PGO.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { before } = require('node:test');
const traced = require('../wasm/traced.js');
const { PROFRT, TARGET, compile, inDirectory, raws, run, tool, wine } = require('./tools.js');

const { CARGO = '/usr/bin/cargo', RUSTC = '/usr/bin/rustc', CARGO_TARGET_DIR: target } = process.env;
const TRIPLE = 'x86_64-pc-windows-gnu';
let counted;
before(() => (counted = traced.write()));

// Builds the program for Windows, with flags of rustc for all, and some that are not for the standard library.
function build(profile, flags, own = []) {
  // rustc has the linker drop what nothing refers to: the coverage mapping.
  const linked = [...TARGET, '-static', '-Wl,--no-gc-sections'].map((flag) => `-Clink-arg=${flag}`);
  const env = {
    HOME: process.env.HOME,
    PATH: process.env.PATH,
    RUSTC,
    RUSTC_BOOTSTRAP: '1',
    CARGO_TARGET_DIR: target,
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER: tool('clang'),
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS: [...flags, ...linked].join(' '),
  };
  for (const name of ['CARGO_HOME', 'RUSTUP_HOME']) if (process.env[name]) env[name] = process.env[name];
  const wanted = ['--profile', profile, '--bin', 'traced', '--features', 'wasi,profrt/abi'];
  execFileSync(CARGO, ['rustc', '--quiet', '-Zbuild-std=std,panic_abort', '--target', TRIPLE, ...wanted, '--', ...own], { cwd: traced.crate, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const directory = path.join(target, TRIPLE, profile === 'dev' ? 'debug' : profile);
  compile('prng.c', path.join(directory, 'bcryptprimitives.dll'), ['-shared', '-ladvapi32']);
  return path.join(directory, 'traced.exe');
}

inDirectory('coverage', (dir, at) => {
  const program = build('dev', ['-Cinstrument-coverage', '-Zno-profiler-runtime']);
  const ran = [['1', '5'], ['7']].map((args) => wine(program, dir, { args, env: { LLVM_PROFILE_FILE: '%m.profraw' } }));
  assert.deepEqual(ran.map(({ code, lines }) => [code, lines]), [[0, []], [0, []]]);
  const hits = ran.map(({ out }) => new Map(out.trim().split('\n').map((line) => line.split(' ').map(Number))));
  const [pool, ...others] = raws(dir);
  assert.deepEqual(others, []);
  const lcov = run(PROFRT, 'cov', at(pool), '--object', program, '--only', '**/body.rs', '--lcov', '-');
  traced.compare(counted, lcov, (line) => hits[0].get(line) + hits[1].get(line));
});

inDirectory('PGO', (dir, at) => {
  const program = build('release', [], [`-Cprofile-generate=${at('profiles')}`, '-Zno-profiler-runtime']);
  const before = wine(program, dir, { args: ['5'] });
  assert.deepEqual([before.code, before.lines], [0, []]);
  const [profile] = raws(at('profiles')).map((name) => at(`profiles/${name}`));
  const shown = run(tool('llvm-profdata'), 'show', '--all-functions', '--counts', '--ic-targets', profile);
  assert.match(shown, /^Instrumentation level: IR/m);
  assert.match(shown, /traced4main:\n/);
  assert.match(shown, /traced4main, +1 \]/);
  run(PROFRT, 'merge', profile, '--for', 'clang-22', '-o', at('app.profdata'));
  const after = wine(build('release', [], [`-Cprofile-use=${at('app.profdata')}`]), dir, { args: ['5'] });
  assert.deepEqual([after.code, after.out], [0, before.out]);
});
