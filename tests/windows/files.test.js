// Names, ends, libraries, and many processes with one file, under wine.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { before, after } = require('node:test');
const { CLANG, TARGET, OVERLAY, begin, compile, inDirectory, raws, run, scratch, show, sum, text, tool, wine } = require('./tools.js');

const COVERAGE = ['-fprofile-instr-generate', '-fcoverage-mapping'];
const VALUES = ['-fprofile-generate'];
const built = scratch();
const at_built = (name) => path.join(built, name);
let ends, values;
before(() => {
  ends = compile('ends.c', at_built('ends.exe'), COVERAGE);
  values = compile('../wasm/values.c', at_built('values.exe'), VALUES);
});
after(() => fs.rmSync(built, { recursive: true }));

const largest = (file) => Number(show(file).match(/Maximum function count: (\d+)/)[1]);
// Calls of `work`: how the program ended decides which of its exit handlers and destructors have been called.
const works = (file) => [...show(file).matchAll(/work:[^]*?Function count: (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
// A name as the program gets it.
const named = (dir, name, args = []) => {
  const { code, lines } = wine(ends, dir, { args, env: { LLVM_PROFILE_FILE: name } });
  assert.deepEqual([code, lines], [0, []], name);
};

inDirectory('names, directories and drives', (dir, at) => {
  const drive = `Z:${dir.replaceAll('/', '\\')}`;
  const cases = {
    'plain.profraw': 'plain.profraw',
    'a/b/c.profraw': 'a/b/c.profraw',
    'back\\slash\\d.profraw': 'back/slash/d.profraw',
    'both/of\\them.profraw': 'both/of/them.profraw',
    [`${drive}\\full\\e.profraw`]: 'full/e.profraw',
    [`${drive.replaceAll('\\', '/')}/slashes/f.profraw`]: 'slashes/f.profraw',
    [`\\\\?\\${drive}\\long\\g.profraw`]: 'long/g.profraw',
    'Z:drive.profraw': 'drive.profraw',
    './dot/../h.profraw': 'h.profraw',
    'größe/日本/ж.profraw': 'größe/日本/ж.profraw',
    [`${'x'.repeat(100)}/${'y'.repeat(100)}/${'z'.repeat(100)}.profraw`]: `${'x'.repeat(100)}/${'y'.repeat(100)}/${'z'.repeat(100)}.profraw`,
  };
  for (const [name, found] of Object.entries(cases)) {
    named(dir, name);
    assert.equal(works(at(found)), 3, name);
  }
  // Of an earlier run nothing stays.
  named(dir, 'plain.profraw');
  assert.equal(works(at('plain.profraw')), 3);
  assert.deepEqual(fs.readdirSync(dir, { recursive: true }).filter((name) => name.includes('profrt')), []);
  // A device has the name in every directory.
  named(dir, 'NUL');
  assert.ok(!fs.existsSync(at('NUL')));
});

inDirectory('%p %h %t %m', (dir, at) => {
  named(dir, 'p-%p.profraw');
  named(dir, 'h-%h.profraw');
  named(dir, 'm-%m.profraw');
  named(dir, 'n-%4m.profraw');
  const [h, m, n, p, ...others] = raws(dir);
  assert.deepEqual(others, []);
  assert.match(p, /^p-\d+\.profraw$/);
  assert.match(h, /^h-.+\.profraw$/);
  assert.match(m, /^m-\d+_0\.profraw$/);
  assert.match(n, /^n-\d+_[0-3]\.profraw$/);
  fs.mkdirSync(at('temporary'));
  const { lines } = wine(ends, dir, { env: { LLVM_PROFILE_FILE: '%t/t.profraw', TMPDIR: at('temporary') } });
  assert.deepEqual(lines, []);
  assert.equal(works(at('temporary/t.profraw')), 3);
  const none = wine(ends, dir, { env: { LLVM_PROFILE_FILE: '%c.profraw' } });
  assert.equal(none.code, 0);
  assert.deepEqual(none.lines, ['LLVM Profile Warning: Continuous mode (%c) is not possible on this system, the profile is written at exit.']);
  assert.equal(works(at('default.profraw')), 3);
});

inDirectory('each end of a process', (dir, at) => {
  const end = (how, ...more) => {
    const { code, lines } = wine(ends, dir, { args: [how, ...more], env: { LLVM_PROFILE_FILE: `${how}.profraw` } });
    assert.deepEqual(lines, [], how);
    return code;
  };
  // With what exit handlers and destructors count.
  assert.equal(end('exit'), 3);
  assert.equal(works(at('exit.profraw')), 3);
  assert.equal(end('ExitProcess'), 3);
  assert.equal(works(at('ExitProcess.profraw')), 1);
  fs.copyFileSync(at('exit.profraw'), at('terminate.profraw'));
  assert.equal(end('terminate'), 3);
  assert.ok(!fs.existsSync(at('terminate.profraw')));
  // What was written is not counted twice.
  assert.equal(end('twice'), 0);
  assert.equal(works(at('twice.profraw')), 3);
  assert.equal(end('reset'), 0);
  assert.equal(works(at('reset.profraw')), 2);
  assert.equal(end('set', 'other.profraw'), 0);
  assert.equal(works(at('other.profraw')), 3);
  // A process and the one that it starts are one run.
  assert.equal(end('spawn'), 3);
  assert.equal(works(at('spawn.profraw')), 6);
});

inDirectory('libraries have profiles of their own', (dir, at) => {
  const dll = (name, ...flags) => compile('library.c', at(name), [...COVERAGE, '-shared', ...flags]);
  dll('library.dll', `-Wl,--out-implib,${at('library.lib')}`);
  compile('loader.c', at('linked.exe'), [...COVERAGE, '-DLINKED', at('library.lib')]);
  compile('loader.c', at('loader.exe'), COVERAGE);
  for (const [program, args] of [['linked.exe', []], ['loader.exe', ['library.dll', 'library.dll']]]) {
    for (const name of [`${program}.profraw`, `${program}-%m.profraw`]) {
      const { code, lines } = wine(at(program), dir, { args, env: { LLVM_PROFILE_FILE: name } });
      assert.deepEqual([code, lines], [0, []]);
    }
    const [plain, pools] = [raws(dir).filter((name) => name === `${program}.profraw`), raws(dir).filter((name) => name.startsWith(`${program}-`))];
    assert.deepEqual([plain.length, pools.length], [1, 2]);
    const shown = sum(at(plain[0]));
    const times = Math.max(args.length, 1);
    assert.match(shown, new RegExp(`\\n  library:[^:]*:[^:]*:[^:]*: ${times}\\n[^[]*\\[${7 * times}\\b`));
    assert.match(shown, new RegExp(`at_end:[^:]*:[^:]*:[^:]*: ${times}\\n[^[]*\\[${5 * times}\\]`));
    assert.match(shown, /\n  main:[^:]*:[^:]*:[^:]*: 1\n/);
    const sorted = (text) => text.split('\n').sort();
    assert.deepEqual(sorted(sum(...pools.map(at))), sorted(shown));
  }
});

inDirectory('12 processes with one file have all counts', async (dir, at) => {
  wine(values, dir, { env: { LLVM_PROFILE_FILE: 'one.profraw' } });
  for (let round = 0; round < 10; round++) {
    const env = { LLVM_PROFILE_FILE: `${round}/%m.profraw` };
    const ran = await Promise.all([...Array(12)].map(() => begin(values, dir, { env }).done));
    for (const { code, lines } of ran) assert.deepEqual([code, lines], [1, []]);
    const [pool, ...others] = fs.readdirSync(at(`${round}`));
    assert.deepEqual(others, []);
    run(tool('llvm-profdata'), 'merge', ...Array(12).fill(at('one.profraw')), '-o', at('sum'));
    const sorted = (file) => text(file).split('\n').sort().join('\n');
    assert.equal(sorted(at(`${round}/${pool}`)), sorted(at('sum')));
  }
});

inDirectory('nobody else removes the second name while a profile is written', (dir, at) => {
  const { code, out, lines } = wine(compile('stranger.c', at('stranger.exe'), COVERAGE), dir, { env: { LLVM_PROFILE_FILE: '%m.profraw' } });
  assert.deepEqual([code, out.trim(), lines], [0, 'refused, 0 removed', []]);
});

inDirectory('a process that is terminated leaves the old file or the new one', async (dir, at) => {
  // Many counters, so that the write takes a while.
  const many = path.join(dir, 'many.c');
  const functions = [...Array(1500).keys()];
  fs.writeFileSync(many, `${functions.map((n) => `int f${n}(int x) { for (int i = 0; i < x % 3; i++) x += i; return x + ${n}; }`).join('\n')}
int main(void) { int sum = 0; ${functions.map((n) => `sum += f${n}(sum);`).join(' ')} return 0; }\n`);
  const program = compile(many, at('many.exe'), ['-O0', '-fprofile-generate']);
  const time = async (env) => {
    const start = Date.now();
    assert.deepEqual((await begin(program, dir, { env }).done).lines, []);
    return Date.now() - start;
  };
  const states = new Set();
  // The first run of a program takes longer than those that are killed.
  await time({ LLVM_PROFILE_FILE: 'first/plain.profraw' });
  for (const [name, merges] of [['plain.profraw', false], ['%m.profraw', true]]) {
    const env = { LLVM_PROFILE_FILE: `files/${name}` };
    const once = await time(env);
    const file = () => raws(at('files')).filter((name) => !name.startsWith('.'));
    const first = largest(at(`files/${file()[0]}`));
    let counts = first;
    for (let kill = 0; kill < 50; kill++) {
      const { child, done } = begin(program, dir, { env });
      setTimeout(() => child.kill('SIGKILL'), once * (0.4 + 0.7 * Math.random()));
      const { code } = await done;
      const found = file();
      assert.ok(found.length <= 1);
      assert.ok(!merges || found.length === 1, 'the old file is gone');
      const now = found.length ? largest(at(`files/${found[0]}`)) : 0;
      states.add(`${merges} ${code === null ? 'killed' : 'done'} ${now - counts}`);
      if (merges) assert.ok(now === counts || now === counts + first, `${counts} and then ${now}`);
      else assert.ok(now === 0 || now === first, `${now}`);
      if (code === 0) assert.equal(now, merges ? counts + first : first);
      counts = now;
    }
    await time(env);
    assert.equal(fs.readdirSync(at('files')).length, 1, 'the next run removes what was left');
    fs.rmSync(at('files'), { recursive: true });
  }
  for (const merges of [false, true]) assert.ok([...states].some((state) => state.startsWith(`${merges} killed`)), 'none was killed');
  console.log(`# ${[...states].join(', ')}`);
});
