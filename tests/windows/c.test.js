// C and C++ programs under wine: what they write is what LLVM's runtime writes.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { before, after } = require('node:test');
const { CLANG, OVERLAY, TARGET, compile, cov, inDirectory, raws, run, scratch, show, text, variants, wine } = require('./tools.js');

const programs = path.join(__dirname, '../../c-tests');
// Those that fit, and variants that have flags for other linkers or systems.
const FIT = [
  ...['control_flow.c', 'counter_kinds.c', 'c_features.c', 'cpp_exceptions.cpp', 'cpp_lambdas.cpp', 'cpp_modern.cpp'].map((name) => `abi/${name}`),
  ...['cpp_thunks.cpp', 'cpp_virtual.cpp', 'fe_basic.c', 'ir_basic.c', 'many.c', 'mcdc.c', 'temporal.c'].map((name) => `abi/${name}`),
  'abi/values.c',
  ...['direct.c', 'patterns.c', 'reset.c', 'sites.c', 'turns.c', 'virtual.cpp'].map((name) => `values/${name}`),
];
// LLVM's runtime of 19 has no names of vtables here; a temporal profile of bytes has a time from what is behind them.
const UNFIT = /vtable|temporal.*entry-coverage|-fuse-ld|-static|-no-pie|-mcmodel|gc-sections|\{|-fPIC/;

let llvm;
before(() => {
  llvm = scratch();
  fs.mkdirSync(path.join(llvm, 'lib/windows'), { recursive: true });
  run(path.join(__dirname, 'oracle.sh'), path.join(llvm, 'lib/windows'));
  fs.symlinkSync(fs.realpathSync(path.join(OVERLAY, 'include')), path.join(llvm, 'include'));
});
after(() => fs.rmSync(llvm, { recursive: true }));

for (const file of FIT) {
  inDirectory(`${file} has the counts of LLVM's runtime`, (dir, at) => {
    assert.ok(variants(file, UNFIT).length, 'nothing is left of it');
    for (const { name, flags, runs } of variants(file, UNFIT)) {
      const compiler = file.endsWith('.cpp') ? CLANG.replace('clang', 'clang++') : CLANG;
      run(compiler, '-w', ...TARGET, '-resource-dir', OVERLAY, '-O1', ...flags, '-c', path.join(programs, file), '-o', at('main.o'));
      const sides = { ours: OVERLAY, theirs: llvm };
      const seen = Object.entries(sides).map(([side, resources]) => {
        fs.mkdirSync(at(side));
        const program = path.join(at(side), 'main.exe');
        run(compiler, ...TARGET, '-static', '-resource-dir', resources, ...flags, at('main.o'), '-o', program);
        const said = (runs.length ? runs : ['main']).map((line, index) => {
          const words = line.split(' ');
          const args = words.slice(words.indexOf('main') + 1);
          const env = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')));
          const ran = wine(program, at(side), { args, env: { ...env, LLVM_PROFILE_FILE: `${index}.profraw` } });
          const profile = path.join(at(side), `${index}.profraw`);
          const page = flags.includes('-fcoverage-mapping') ? cov(program, profile) : '';
          return { ran, show: show(profile).replaceAll(at(side), ''), text: text(profile), page: page.replaceAll(at(side), '') };
        });
        fs.rmSync(at(side), { recursive: true });
        return said;
      });
      assert.deepEqual(seen[0], seen[1], `${file} ${name}`);
      assert.match(seen[0][0].show, /Total functions: [1-9]/);
    }
  });
}

inDirectory('values of vtables have names', (dir, at) => {
  const flags = ['-fprofile-generate', '-mllvm', '-enable-vtable-value-profiling'];
  const program = compile(path.join(programs, 'values/vtables.cpp'), at('main.exe'), [...flags, '-static']);
  for (let run = 0; run < 2; run++) {
    for (const name of ['a.profraw', '%m.profraw']) assert.deepEqual(wine(program, dir, { env: { LLVM_PROFILE_FILE: name } }).lines, []);
  }
  const [pool, plain] = raws(dir).map((file) => show(at(file)));
  assert.match(plain, /_ZTV5First, +900 \][^]*_ZTV6Second, +90 \][^]*_ZTV4Base, +10 \]/);
  assert.match(pool, /_ZTV5First, +1800 \][^]*_ZTV6Second, +180 \][^]*_ZTV4Base, +20 \]/);
});

// The functions that write, reset, limit and merge values are in every program, because weak symbols of COFF would lose them in silence.
inDirectory('each function for values', (dir, at) => {
  const program = compile('optional.c', at('optional.exe'), ['-fprofile-generate']);
  const targets = (how, env = {}) => {
    const ran = wine(program, dir, { args: [how], env: { LLVM_PROFILE_FILE: `${how}.profraw`, ...env } });
    assert.deepEqual([ran.code, ran.lines], [0, []], how);
    return [...show(at(`${how}.profraw`)).matchAll(/\[  0, \S+?(\w+), +(\d+) \]/g)].map(([, name, count]) => `${name} ${count}`);
  };
  assert.deepEqual(targets('write'), ['one 60', 'two 40']);
  assert.deepEqual(targets('reset'), ['one 0', 'two 0']);
  assert.deepEqual(targets('merge'), ['one 120', 'two 80']);
  assert.deepEqual(targets('compact'), ['one 60', 'two 40']);
  assert.deepEqual(targets('limit', { LLVM_VP_MAX_NUM_VALS_PER_SITE: '1' }).length, 1);
});
