// C programs for macOS: they link for both CPUs against nothing but what libSystem has, and those for x86-64 run in `loader.c`.
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { before, after } = require('node:test');
const { CLANG, OVERLAY, PROFRT, cov, inDirectory, raws, run, scratch, show, text, tool, variants } = require('../windows/tools.js');

// What libSystem exports from macOS 11 on, and the archive may refer to: for all CPUs, then by CPU.
const RUNTIME = `_NSGetEnviron __error _dyld_get_image_header atexit clock_gettime dladdr dlopen fchmod fchown fcntl fdopen fflush fileno flock fseek ftruncate
  fwrite geteuid getpid getppid issetugid kill linkat lseek madvise malloc memcmp memcpy memmove memset mkdirat mmap munmap nanosleep openat pread
  pthread_atfork pthread_setcancelstate pthread_sigmask pwritev raise readlinkat renameat renameatx_np setenv sigaction strlen sysconf uname unlinkat
  writev`.split(/\s+/);
const CPUS = { arm64: ['bzero', 'close', 'fstat', 'fstatat'], x86_64: ['__bzero', 'close$NOCANCEL', 'fstat$INODE64', 'fstatat$INODE64'] };
// What the programs call.
const PROGRAMS = `__stderrp __stdoutp abort atoi calloc exit fclose fork fopen fprintf fread free ftell getenv printf putchar puts qsort realloc setvbuf snprintf strchr
  strcmp strcpy strncmp strstr strtol strtoul waitpid`.split(/\s+/);

const OURS = (cpu) => path.join(OVERLAY, cpu);
const programs = path.join(__dirname, '../../c-tests');
const COVERAGE = ['-fprofile-instr-generate', '-fcoverage-mapping'];
const VALUES = ['-fprofile-generate'];
const FIT = [
  ...['c_features.c', 'counter_kinds.c', 'fe_basic.c', 'ir_basic.c', 'many.c', 'mcdc.c', 'temporal.c', 'values.c'].map((name) => `abi/${name}`),
  ...['direct.c', 'patterns.c', 'reset.c', 'sites.c'].map((name) => `values/${name}`),
];
// Variants with flags for other linkers or systems; a temporal profile of bytes has a time from what is behind them.
const UNFIT = /vtable|temporal.*entry-coverage|-fuse-ld|-static|-no-pie|-mcmodel|gc-sections|\{|-fPIC|BINARY_ID|build-id|sampl/;

const built = scratch();
const at_built = (name) => path.join(built, name);
let values;
before(() => {
  run('cc', '-O1', '-w', path.join(__dirname, 'loader.c'), '-o', at_built('loader'), '-rdynamic', '-ldl', '-lpthread');
  const list = (cpus, names) => `  - targets: [ ${cpus} ]\n    symbols: [ ${names.map((name) => `'_${name}'`).join(', ')} ]\n`;
  const all = Object.keys(CPUS).map((cpu) => `${cpu}-macos`).join(', ');
  const exports = [list(all, [...RUNTIME, ...PROGRAMS]), ...Object.entries(CPUS).map(([cpu, names]) => list(`${cpu}-macos`, names))].join('');
  fs.writeFileSync(at_built('libSystem.tbd'), `--- !tapi-tbd\ntbd-version: 4\ntargets: [ ${all} ]\ninstall-name: '/usr/lib/libSystem.B.dylib'\nexports:\n${exports}...\n`);
  values = compile('../wasm/values.c', at_built('values'), VALUES);
});
after(() => fs.rmSync(built, { recursive: true }));

// Compiles C; for Linux with LLVM's runtime. Both with the same headers, for which the system makes no difference.
function compile(source, output, flags, cpu = 'x86_64') {
  const linked = flags.includes('-c') ? [] : ['-fuse-ld=lld', `-L${built}`, '-Wl,-fixup_chains'];
  const target = cpu === 'linux' ? [] : [`--target=${cpu}-apple-macos11`, '-fno-stack-protector', '-resource-dir', OURS(cpu), ...linked];
  run(CLANG, '-w', '-O1', '-isystem', path.join(__dirname, 'include'), ...target, ...flags, path.resolve(__dirname, source), '-o', output);
  return output;
}

// Begins to run a program. Returns a promise of the exit code or signal, the output, and the lines of stderr.
function begin(program, cwd, { env = {}, args = [], here = false } = {}) {
  const [file, ...words] = here ? [program, ...args] : [at_built('loader'), program, ...args];
  const child = spawn(file, words, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code: code ?? signal, out, lines: err.split('\n').filter(Boolean) })));
}

const quiet = async (program, dir, options) => {
  const { code, lines } = await begin(program, dir, options);
  assert.deepEqual(lines, []);
  return code;
};
const sorted = (file) => text(file).split('\n').sort().join('\n');
const times = (number, file, sum) => {
  run(tool('llvm-profdata'), 'merge', ...Array(number).fill(file), '-o', sum);
  return sorted(sum);
};

for (const cpu of Object.keys(CPUS)) {
  inDirectory(`${cpu} links`, (dir, at) => {
    const archive = path.join(OURS(cpu), 'lib/darwin/libclang_rt.profile_osx.a');
    // As Apple's linker wants it: names of members before them, and in the first the table of symbols.
    assert.match(fs.readFileSync(archive, 'latin1'), /^!<arch>\n#1\/[^]{57}__.SYMDEF/);
    const names = (...flags) => run(tool('llvm-nm'), '--quiet', '-j', ...flags).split('\n').filter((name) => /^_/.test(name));
    const defined = new Set(names('--defined-only', archive));
    const undefined_names = new Set(names('--undefined-only', archive).filter((name) => !defined.has(name)));
    assert.deepEqual([...undefined_names].filter((name) => ![...RUNTIME, ...CPUS[cpu]].includes(name.slice(1))), []);
    for (const flags of [[...COVERAGE, '-fcoverage-mcdc'], VALUES]) {
      for (const kind of [[], ['-Wl,-dead_strip'], ['-dynamiclib'], ['-dynamiclib', '-Wl,-dead_strip']]) {
        const program = compile('weak.c', at('linked'), [...flags, ...kind], cpu);
        // What only weak references have is there; nothing of ours is seen by other images.
        assert.ok(names('--defined-only', program).includes('___llvm_profile_reset_counters'), kind.join());
        assert.deepEqual(names('--defined-only', '--extern-only', program).filter((name) => /llvm_(?!write_custom)|lprof|profrt/.test(name)), []);
        assert.match(run(tool('llvm-objdump'), '--macho', '--section-headers', program), /__init_offsets +0*4 |__mod_init_func +0*8 /);
      }
    }
  });
}

for (const file of FIT) {
  inDirectory(`${file} has the counts of LLVM's runtime on Linux`, async (dir, at) => {
    assert.ok(variants(file, UNFIT).length, 'nothing is left of it');
    for (const { name, flags, runs } of variants(file, UNFIT)) {
      const seen = [];
      for (const cpu of ['x86_64', 'linux']) {
        fs.mkdirSync(at(cpu));
        const program = compile(path.join(programs, file), path.join(at(cpu), 'main'), flags, cpu);
        const said = [];
        for (const [index, line] of (runs.length ? runs : ['main']).entries()) {
          const words = line.split(' ');
          const args = words.slice(words.indexOf('main') + 1);
          const env = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')));
          const profile = path.join(at(cpu), `${index}.profraw`);
          const { code, out, lines } = await begin(program, at(cpu), { args, env: { ...env, LLVM_PROFILE_FILE: profile }, here: cpu === 'linux' });
          const page = flags.includes('-fcoverage-mapping') ? cov(program, profile) : '';
          said.push({ code, out, lines, show: show(profile).replaceAll(at(cpu), ''), text: text(profile), page: page.replaceAll(at(cpu), '') });
        }
        fs.rmSync(at(cpu), { recursive: true });
        seen.push(said);
      }
      assert.deepEqual(seen[0], seen[1], `${file} ${name}`);
      assert.match(seen[0][0].show, /Total functions: [1-9]/);
    }
  });
}

inDirectory('profrt reports what llvm-cov does', async (dir, at) => {
  const program = compile('../wasm/values.c', at('main'), COVERAGE);
  assert.equal(await quiet(program, dir), 1);
  run(tool('llvm-profdata'), 'merge', at('default.profraw'), '-o', at('sum'));
  const lcov = (text) => text.match(/^(DA|FNDA|LF|LH):.*$/gm).sort();
  const llvm = run(tool('llvm-cov'), 'export', '--format=lcov', `--instr-profile=${at('sum')}`, program);
  run(PROFRT, 'cov', at('default.profraw'), '--object', program, '--compat', 'llvm-22', '--lcov', at('ours'));
  assert.deepEqual(lcov(fs.readFileSync(at('ours'), 'utf8')), lcov(llvm));
});

inDirectory('names, pools and directories', async (dir, at) => {
  for (const name of ['one.profraw', 'a/b/%p.profraw', 'h-%h.profraw', '%m.profraw', '%m.profraw', 'n-%4m.profraw', '%t/t.profraw']) {
    assert.equal(await quiet(values, dir, { env: { LLVM_PROFILE_FILE: name, TMPDIR: at('temporary') } }), 1);
  }
  assert.match(fs.readdirSync(at('a/b')).join(), /^\d+\.profraw$/);
  const [pool, h, n, one, ...others] = raws(dir);
  assert.deepEqual(others, []);
  assert.match(`${pool} ${h} ${n}`, /^\d+_0\.profraw h-.+\.profraw n-\d+_[0-3]\.profraw$/);
  assert.equal(sorted(at('temporary/t.profraw')), sorted(at(one)));
  // Addresses of functions are others in each process.
  assert.equal(sorted(at(pool)), times(2, at(one), at('sum')));
  // The compiler's variable is taken, also where all of the archive is linked.
  for (const [name, linked] of [['named.profraw', []], ['all.profraw', ['-Wl,-all_load']]]) {
    assert.equal(await quiet(compile('../wasm/values.c', at('named'), [`-fprofile-instr-generate=${name}`, ...linked]), dir), 1);
    assert.match(show(at(name)), /Maximum function count: 100\n/);
  }
  fs.chmodSync(at(pool), 0o640);
  const { ino } = fs.statSync(at(pool));
  assert.equal(await quiet(values, dir, { env: { LLVM_PROFILE_FILE: '%m.profraw', NO_RENAME: '1' } }), 1);
  assert.equal(fs.statSync(at(pool)).mode & 0o777, 0o640);
  assert.notEqual(fs.statSync(at(pool)).ino, ino, 'it was written in place');
  for (const [name, what] of [['%c', /^LLVM Profile Warning: Continuous mode \(%c\) is not possible on this system, /], ['%b', /^LLVM Profile Warning: .*binary ID/]]) {
    const { lines } = await begin(values, dir, { env: { LLVM_PROFILE_FILE: `${name}.profraw` } });
    assert.equal(lines.length, 1);
    assert.match(lines[0], what);
  }
  assert.equal(await quiet(values, dir, { env: { LLVM_PROFILE_FILE: 'set.profraw', SET_USER_ID: '1' } }), 1);
  assert.ok(!fs.existsSync(at('set.profraw')));
});

inDirectory('each function for values', async (dir, at) => {
  const program = compile('../windows/optional.c', at('optional'), VALUES);
  const targets = async (how, env = {}) => {
    assert.equal(await quiet(program, dir, { args: [how], env: { LLVM_PROFILE_FILE: `${how}.profraw`, ...env } }), 0, how);
    return [...show(at(`${how}.profraw`)).matchAll(/\[  0, \S+?(\w+), +(\d+) \]/g)].map(([, name, count]) => `${name} ${count}`);
  };
  assert.deepEqual(await targets('write'), ['one 60', 'two 40']);
  assert.deepEqual(await targets('reset'), ['one 0', 'two 0']);
  assert.deepEqual(await targets('merge'), ['one 120', 'two 80']);
  assert.deepEqual(await targets('compact'), ['one 60', 'two 40']);
  assert.deepEqual((await targets('limit', { LLVM_VP_MAX_NUM_VALS_PER_SITE: '1' })).length, 1);
});

inDirectory('12 processes with one file have all counts', async (dir, at) => {
  await quiet(values, dir, { env: { LLVM_PROFILE_FILE: 'one.profraw' } });
  for (const [round, env] of [{}, {}, { NO_RENAME: '1' }, { NO_SWAP: '1' }, { NO_SWAP: '1' }].entries()) {
    const ran = await Promise.all([...Array(12)].map(() => begin(values, dir, { env: { ...env, SLOW: '1', LLVM_PROFILE_FILE: `${round}/%m.profraw` } })));
    for (const { code, lines } of ran) assert.deepEqual([code, lines], [1, []]);
    const [pool, ...others] = fs.readdirSync(at(`${round}`));
    assert.deepEqual(others, []);
    assert.equal(sorted(at(`${round}/${pool}`)), times(12, at('one.profraw'), at('sum')));
  }
  // Without locks it says so, and merges.
  for (const lines of [0, 1]) {
    const ran = await begin(values, dir, { env: { NO_LOCK: '1', LLVM_PROFILE_FILE: 'last/%m.profraw' } });
    assert.match(ran.lines.join(), /cannot be locked/);
  }
  assert.equal(sorted(at(`last/${fs.readdirSync(at('last'))[0]}`)), times(2, at('one.profraw'), at('sum')));
});

inDirectory('signals and forks', async (dir, at) => {
  const program = compile('ends.c', at('ends'), COVERAGE);
  const works = (name) => [...show(at(name)).matchAll(/\n  work:[^]*?Function count: (\d+)/g)].map(([, count]) => Number(count));
  const env = (name, more) => ({ LLVM_PROFILE_FILE: name, ...more });
  assert.equal(await quiet(program, dir, { args: ['raise'], env: env('raise.profraw', { LLVM_PROFILE_DUMP_SIGNALS: 'TERM' }) }), 'SIGTERM');
  assert.deepEqual(works('raise.profraw'), [1]);
  assert.equal(await quiet(program, dir, { args: ['raise'], env: env('none.profraw') }), 'SIGTERM');
  assert.ok(!fs.existsSync(at('none.profraw')));
  assert.equal(await quiet(program, dir, { args: ['fork'], env: env('fork-%m.profraw', { LLVM_PROFILE_FORK: 'reset' }) }), 3);
  assert.deepEqual(works(raws(dir).find((name) => name.startsWith('fork-'))), [2]);
  const { lines } = await begin(program, dir, { env: env('exit.profraw', { LLVM_PROFILE_DUMP_SIGNALS: 'PWR' }) });
  assert.match(lines.join(), /"PWR" is left out: it cannot be caught/);
  assert.deepEqual(works('exit.profraw'), [1]);
});
