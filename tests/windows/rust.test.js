// Rust for Windows, with the standard library instrumented: every line has the count that the program has counted itself; and PGO.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { before } = require('node:test');
const traced = require('../wasm/traced.js');
const { PROFRT, cargo, inDirectory, raws, run, tool, wine } = require('./tools.js');

let counted;
before(() => (counted = traced.write()));

// Builds the program, with flags of rustc for all, and some that are not for the standard library.
function build(profile, flags, own = []) {
  const wanted = ['--profile', profile, '--bin', 'traced', '--features', 'wasi,profrt/abi'];
  return path.join(cargo(traced.crate, profile, flags, 'rustc', ...wanted, '--', ...own), 'traced.exe');
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
