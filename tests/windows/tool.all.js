// The tool on Windows: it writes what it writes here, and says what it does not have there. Only with `--all`: its crates take minutes.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { PROFRT, cargo, compile, inDirectory, wine } = require('./tools.js');

inDirectory('the tool', (dir, at) => {
  const root = path.join(__dirname, '../..');
  const tool = path.join(cargo(root, 'dev', [], 'build', '--package=profrt-tool', '--bin=profrt', '--no-default-features', '--features=zlib'), 'profrt.exe');
  const there = (...args) => wine(tool, dir, { args });
  const here = (...args) => execFileSync(PROFRT, args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const same = (...args) => {
    const { code, out, lines } = there(...args);
    assert.deepEqual([code, lines.join('\n')], [0, ''], args.join(' '));
    assert.equal(out.replaceAll('\r\n', '\n').replaceAll('\\', '/').replaceAll('Z:', ''), here(...args), args.join(' '));
    return out;
  };
  compile('../wasm/values.c', at('values.exe'), ['-fprofile-instr-generate', '-fcoverage-mapping']);
  for (const name of ['a', 'b']) wine(at('values.exe'), dir, { env: { LLVM_PROFILE_FILE: `${name}.profraw` } });
  assert.deepEqual([there('merge', 'a.profraw', 'b.profraw', '--for', 'clang-22', '-o', 'there.profdata').code], [0]);
  here('merge', 'a.profraw', 'b.profraw', '--for', 'clang-22', '-o', 'here.profdata');
  assert.ok(fs.readFileSync(at('there.profdata')).equals(fs.readFileSync(at('here.profdata'))));
  assert.match(same('show', 'there.profdata'), /main/);
  same('check', 'a.profraw');
  assert.match(same('cov', 'a.profraw', '--object', 'values.exe', '--outside', '--lcov', '-'), /DA:13,34/);
  fs.truncateSync(at('b.profraw'), 200);
  const cut = there('check', 'b.profraw');
  assert.ok(cut.code !== 0 && /b\.profraw/.test(cut.out + cut.lines), cut.out);
  for (const command of ['watch', 'live', 'install', 'doctor']) {
    const { code, lines } = there(command, '--anything');
    assert.deepEqual([code, lines], [2, ['profrt watch: watch, live, install and doctor do not run on this system']]);
  }
});
