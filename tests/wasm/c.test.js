// C and C++ programs under WASI: what they write is what LLVM's runtime writes, also after many runs, and when the host stops or refuses.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test, before, after } = require('node:test');
const { CLANG, OVERLAY, PROFRT, Stop, compile, node, raws, run, scratch, show, text, wasmtime } = require('./tools.js');

const KINDS = {
  coverage: ['-fprofile-instr-generate', '-fcoverage-mapping'],
  decisions: ['-fprofile-instr-generate', '-fcoverage-mapping', '-fcoverage-mcdc'],
  values: ['-fprofile-generate'],
};
const built = scratch();
const programs = {};
before(() => {
  for (const [kind, flags] of Object.entries(KINDS)) programs[kind] = compile('values.c', path.join(built, `${kind}.wasm`), flags);
});
after(() => fs.rmSync(built, { recursive: true }));

// A test with an empty directory.
const inDirectory = (name, body) =>
  test(name, () => {
    const dir = scratch();
    try {
      body(dir, (file) => path.join(dir, file));
    } finally {
      fs.rmSync(dir, { recursive: true });
    }
  });

inDirectory("counts, values and decisions are those of LLVM's runtime", (dir, at) => {
  // The overlay with LLVM's archive in the place of ours.
  fs.mkdirSync(at('llvm/lib/wasm32-unknown-wasi'), { recursive: true });
  run(path.join(__dirname, 'oracle.sh'), at('llvm/lib/wasm32-unknown-wasi'));
  for (const entry of ['include', 'lib/wasi']) fs.symlinkSync(fs.realpathSync(path.join(OVERLAY, entry)), at(`llvm/${entry}`));
  for (const [kind, flags] of Object.entries(KINDS)) {
    const emulated = ['-lwasi-emulated-mman', '-lwasi-emulated-getpid'];
    const llvm = compile('values.c', at('llvm.wasm'), [...flags, ...emulated], at('llvm'));
    for (const args of [[], ['one', 'two']]) {
      const [theirs, ours] = [[llvm, 'theirs'], [programs[kind], 'ours']].map(([program, name]) => {
        const ran = wasmtime(program, dir, { args, env: { LLVM_PROFILE_FILE: `${name}.profraw` } });
        assert.deepEqual([ran.code, ran.lines], [args.length + 1, []]);
        return ran.out;
      });
      assert.equal(ours, theirs);
      assert.equal(show(at('ours.profraw')), show(at('theirs.profraw')), kind);
      assert.equal(text(at('ours.profraw')), text(at('theirs.profraw')), kind);
    }
    // Pool files of both have all runs.
    for (const [program, name] of [[llvm, 'theirs'], [programs[kind], 'ours']]) {
      fs.mkdirSync(at(name), { recursive: true });
      for (let run = 0; run < 3; run++) wasmtime(program, at(name), { env: { LLVM_PROFILE_FILE: `${kind}-%m.profraw` } });
    }
    const pool = (name) => raws(at(name)).filter((file) => file.startsWith(kind)).map((file) => show(at(`${name}/${file}`)));
    assert.deepEqual(pool('ours'), pool('theirs'), kind);
    const size = (file) => {
      run('llvm-strip-22', '--strip-all', file, '-o', at('stripped'));
      return fs.statSync(at('stripped')).size;
    };
    console.log(`# ${kind}: ${size(programs[kind])} bytes, with LLVM's runtime ${size(llvm)}`);
    // 1.54, with values 1.74: merges that know other modules and keep the old file, second names, one message for each refusal.
    assert.ok(size(programs[kind]) < (kind === 'values' ? 1.8 : 1.6) * size(llvm));
  }
});

inDirectory('wasmtime and node write the same bytes', (dir, at) => {
  for (const [kind, program] of Object.entries(programs)) {
    wasmtime(program, dir, { env: { LLVM_PROFILE_FILE: 'wasmtime.profraw' } });
    node(program, dir, { env: { LLVM_PROFILE_FILE: 'node.profraw' } });
    assert.ok(fs.readFileSync(at('node.profraw')).equals(fs.readFileSync(at('wasmtime.profraw'))), kind);
  }
});

if (process.env.ALL) inDirectory('a component writes the same, and profrt reads it', (dir, at) => {
  // Debian's C library is that of wasip1, to which the linker of components adapts.
  for (const part of ['lib', 'include']) {
    fs.mkdirSync(at(`sysroot/${part}`), { recursive: true });
    fs.symlinkSync(`/usr/${part}/wasm32-wasi`, at(`sysroot/${part}/wasm32-wasip2`));
  }
  const target = '--target=wasm32-wasip2';
  run(PROFRT, 'install', '--clang', CLANG, ...target.split('='), '--archive', path.join(OVERLAY, '../../dist'), '--prefix', at('overlay'));
  for (const [kind, flags] of Object.entries(KINDS)) {
    const resources = [`--sysroot=${at('sysroot')}`, '-resource-dir', at('overlay')];
    run(CLANG, '-w', target, ...resources, '-O1', ...flags, path.join(__dirname, 'values.c'), '-o', at(`${kind}.wasm`));
    for (const [program, name] of [[programs[kind], 'module'], [at(`${kind}.wasm`), 'component']]) {
      fs.mkdirSync(at(`${name}/${kind}`), { recursive: true });
      for (const file of ['plain.profraw', '%m.profraw', '%m.profraw']) {
        const ran = wasmtime(program, dir, { env: { LLVM_PROFILE_FILE: `${name}/${kind}/${file}` } });
        assert.deepEqual([ran.code, ran.lines], [1, []]);
      }
    }
    const written = (name) => raws(at(`${name}/${kind}`)).map((file) => show(at(`${name}/${kind}/${file}`)));
    assert.equal(written('module').length, 2);
    assert.deepEqual(written('component'), written('module'), kind);
  }
  const lcov = run(PROFRT, 'cov', at('component/coverage/plain.profraw'), '--object', at('coverage.wasm'), '--lcov', '-');
  assert.match(lcov, /^DA:13,34$/m);
});

inDirectory('20 runs add up in a pool file', (dir, at) => {
  for (const kind of Object.keys(KINDS)) {
    fs.mkdirSync(at(kind));
    const env = { LLVM_PROFILE_FILE: `${kind}/%m.profraw` };
    for (let run = 0; run < 20; run++) {
      const ran = (run % 5 ? node : wasmtime)(programs[kind], dir, { env, args: run % 2 ? ['more'] : [] });
      assert.deepEqual(ran.lines, []);
    }
    // Nothing beside the pool file.
    const [pool, ...others] = fs.readdirSync(at(kind));
    assert.deepEqual(others, []);
    node(programs[kind], dir, { env: { LLVM_PROFILE_FILE: 'one.profraw' } });
    node(programs[kind], dir, { env: { LLVM_PROFILE_FILE: 'two.profraw' }, args: ['more'] });
    // (Weights of LLVM's tool do not apply to values that the first input has not.)
    run('llvm-profdata-22', 'merge', ...Array(10).fill([at('one.profraw'), at('two.profraw')]).flat(), '-o', at('sum'));
    const sorted = (file) => text(file).split('\n').sort().join('\n');
    assert.equal(sorted(at(`${kind}/${pool}`)), sorted(at('sum')), kind);
  }
});

inDirectory('names, directories and a new run', (dir, at) => {
  const name = { LLVM_PROFILE_FILE: 'a/b/%p.profraw' };
  [node, wasmtime, node].forEach((engine) => assert.deepEqual(engine(programs.coverage, dir, { env: name }).lines, []));
  const numbers = raws(at('a/b')).map((file) => Number(file.split('.')[0]));
  assert.ok(new Set(numbers).size === 3 && numbers.every((number) => number > 0 && number < 2 ** 31), String(numbers));
  // The file of an earlier run is replaced.
  for (let run = 0; run < 2; run++) node(programs.coverage, dir, {});
  assert.match(show(at('default.profraw')), /Maximum function count: 100\n/);
  // So it is where the mode of `%c` is not possible.
  for (let run = 0; run < 2; run++) node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: 'x%c.profraw' } });
  assert.deepEqual(raws(dir), ['default.profraw', 'x.profraw']);
});

inDirectory('destructors count, and profrt reads the module', (dir, at) => {
  const flags = [...KINDS.coverage, '-fno-exceptions', '-nostdlib++'];
  const program = compile('destructors.cpp', at('destructors.wasm'), flags);
  assert.deepEqual(node(program, dir).lines, []);
  assert.match(show(at('default.profraw')), /CountedD2Ev:\n.*\n.*\n +Function count: 1\n.*\n +Block counts: \[7\]/);
  node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: 'values.profraw' } });
  const lcov = run(PROFRT, 'cov', at('values.profraw'), '--object', programs.coverage, '--lcov', '-');
  assert.match(lcov, /^DA:13,34$/m);
  assert.match(lcov, /^DA:14,66$/m);
});

// Calls that change something.
const CHANGES = /^(fd_write|fd_pwrite|path_open|path_rename|path_unlink_file|path_create_directory|fd_filestat_set_size)$/;

inDirectory('a host that stops at any call leaves the old file or the new one', (dir, at) => {
  for (const [name, merges] of [['plain.profraw', false], ['%m.profraw', true]]) {
    const env = { LLVM_PROFILE_FILE: name };
    const once = () => node(programs.values, dir, { env });
    const content = () => raws(dir).filter((file) => !file.startsWith('.')).map((file) => show(at(file)));
    const clear = () => fs.readdirSync(dir).forEach((file) => fs.rmSync(at(file)));
    clear();
    once();
    const [first] = content();
    once();
    const [second] = content();
    assert.equal(first === second, !merges);
    const allowed = [undefined, first, second];
    let stops = 0;
    for (let at_call = 1; ; at_call++) {
      for (const old of [false, true]) {
        clear();
        if (old) once();
        let left = at_call;
        const host = (call, go) => {
          if (!CHANGES.test(call) || --left !== 0) return go();
          throw new Stop();
        };
        const { code } = node(programs.values, dir, { env, host });
        if (code === 'stopped') stops++;
        const found = content();
        assert.ok(found.length <= 1 && allowed.includes(found[0]), `${name}, call ${at_call}`);
        // The start of a run removes a plain file.
        assert.ok(!(old && merges) || found[0] !== undefined, `${name}, call ${at_call}: the old file is gone`);
        // Another run is not disturbed.
        assert.deepEqual(once().lines, []);
        assert.ok(content().length === 1);
        if (old && left > 0) left = Infinity;
        if (left === Infinity) at_call = Infinity;
      }
      if (at_call === Infinity) break;
    }
    assert.ok(stops > 8, `${stops} stops`);
  }
});

// What WASI calls the reasons.
const [EROFS, ENOSPC, EIO] = [69, 51, 29];

test('what is refused is one clear line, and nothing that was there is lost', async (t) => {
  const cases = {
    'a name outside of the directories': [{ LLVM_PROFILE_FILE: '../out.profraw' }, {}, /^LLVM Profile Error: Failed to write file "\.\.\/out\.profraw": Operation not permitted$/],
    'no directory': [{}, { preopens: {} }, /^LLVM Profile Error: Failed to write file "default_\d+_0\.profraw": (Operation not permitted|No such file or directory)$/],
    'read-only': [{ LLVM_PROFILE_FILE: '%m.profraw' }, { host: refuse(/^path_open$/, EROFS, (parameters) => parameters[4] & 1) }, /: Read-only file system$/],
    full: [{ LLVM_PROFILE_FILE: '%m.profraw' }, { host: refuse(/^fd_p?write$/, ENOSPC, (parameters) => parameters[0] > 2) }, /: No space left on device$/],
    'a disk that fails': [{ LLVM_PROFILE_FILE: '%m.profraw' }, { host: refuse(/^fd_p?write$/, EIO, (parameters) => parameters[0] > 2) }, /: Input\/output error$/],
    '%c': [{ LLVM_PROFILE_FILE: '%c%m.profraw' }, {}, /^LLVM Profile Warning: Continuous mode \(%c\) is not possible on this system, the profile is written at exit\.$/],
    signals: [{ LLVM_PROFILE_FILE: '%m.profraw', LLVM_PROFILE_DUMP_SIGNALS: 'TERM' }, {}, /^LLVM Profile Warning: LLVM_PROFILE_DUMP_SIGNALS: "TERM" is left out: this system has no signals\.$/],
  };
  for (const [name, [env, options, expected]] of Object.entries(cases)) {
    await t.test(name, () => {
      const dir = scratch();
      node(programs.values, dir, { env: { LLVM_PROFILE_FILE: '%m.profraw' } });
      const [pool] = raws(dir);
      const old = fs.readFileSync(path.join(dir, pool));
      const ran = node(programs.values, dir, { env, ...options });
      assert.equal(ran.code, 1);
      assert.equal(ran.lines.length, 1, ran.lines.join('\n'));
      assert.match(ran.lines[0], expected);
      const now = fs.readFileSync(path.join(dir, pool));
      assert.ok(/Warning/.test(ran.lines[0]) ? !now.equals(old) : now.equals(old));
      fs.rmSync(dir, { recursive: true });
    });
  }
});

// A host whose calls of this name fail with a reason, where the parameters are such.
function refuse(pattern, reason, which) {
  return (name, go, parameters) => (pattern.test(name) && which(parameters) ? reason : go());
}

inDirectory('a link, and a pool file of another module', (dir, at) => {
  fs.writeFileSync(at('target'), '');
  fs.symlinkSync('target', at('link.profraw'));
  assert.deepEqual(node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: 'link.profraw' } }).lines, []);
  assert.match(show(at('target')), /Maximum function count: 100\n/);
  assert.ok(fs.lstatSync(at('link.profraw')).isSymbolicLink());

  node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: '%m.profraw' } });
  const pool = raws(dir).find((name) => name !== 'link.profraw');
  node(programs.values, dir, { env: { LLVM_PROFILE_FILE: 'other.profraw' } });
  fs.renameSync(at('other.profraw'), at(pool));
  const old = fs.readFileSync(at(pool));
  const { code, lines } = node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: '%m.profraw' } });
  assert.deepEqual([code, lines.length], [1, 1], lines.join('\n'));
  assert.match(lines[0], /is damaged, or of another program/);
  assert.ok(fs.readFileSync(at(pool)).equals(old));
});

inDirectory('without entropy, and without memory', (dir, at) => {
  const names = [1, 2].map(() => {
    assert.deepEqual(node(programs.coverage, dir, { env: { LLVM_PROFILE_FILE: '%p.profraw' }, host: refuse(/^random_get$/, EIO, () => true) }).lines, []);
    return raws(dir).length;
  });
  assert.deepEqual(names, [1, 2]);

  // A merge of values needs memory.
  const program = compile('values.c', at('small.wasm'), [...KINDS.values, '-Wl,--max-memory=131072']);
  const env = { LLVM_PROFILE_FILE: 'small-%m.profraw' };
  const lines = [1, 2, 3].map(() => node(program, dir, { env }).lines);
  const [pool] = raws(dir).filter((name) => name.startsWith('small'));
  assert.deepEqual(lines[0], ['LLVM Profile Warning: 7 values were not counted: the system gave no memory for them.']);
  const failed = [`LLVM Profile Error: Failed to write file "${pool}": Cannot allocate memory`];
  assert.deepEqual(lines.slice(1), [failed, failed]);
  assert.match(show(at(pool)), /Functions shown: 4/);
});
