// Programs that are compiled for Windows, and wine, which runs them.
'use strict';
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const { CLANG = 'clang-22', OVERLAY, PROFRT, WINE, WINEPREFIX } = process.env;
const tool = (name) => CLANG.replace('clang', name);
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
const scratch = () => fs.mkdtempSync(path.join(os.tmpdir(), 'profrt-windows-'));
const TARGET = ['--target=x86_64-w64-windows-gnu', '-fuse-ld=lld'];

// Compiles C or C++ with the runtime in a resource directory.
function compile(source, output, flags, resources = OVERLAY) {
  const compiler = source.endsWith('.cpp') ? CLANG.replace('clang', 'clang++') : CLANG;
  run(compiler, '-w', ...TARGET, '-resource-dir', resources, '-O1', ...flags, path.resolve(__dirname, source), '-o', output);
  return output;
}

// Runs Cargo for Windows, with flags of rustc for all crates. Returns the directory of the programs.
function cargo(cwd, profile, flags, ...args) {
  const { CARGO = '/usr/bin/cargo', RUSTC = '/usr/bin/rustc', CARGO_TARGET_DIR: target } = process.env;
  const triple = 'x86_64-pc-windows-gnu';
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
  const [command, ...others] = args;
  execFileSync(CARGO, [command, '--quiet', '-Zbuild-std=std,panic_abort', '--target', triple, ...others], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const directory = path.join(target, triple, profile === 'dev' ? 'debug' : profile);
  // What the standard library takes random numbers from, and wine 8 does not have.
  compile('prng.c', path.join(directory, 'bcryptprimitives.dll'), ['-shared', '-ladvapi32']);
  return directory;
}

const environment = (env) => ({ PATH: process.env.PATH, HOME: process.env.HOME, WINEPREFIX, WINEDEBUG: '-all', DISPLAY: '', LANG: 'C.UTF-8', ...env });

// Runs a program in a directory. Returns the exit code, the output, and the lines of stderr.
function wine(file, cwd, { env = {}, args = [] } = {}) {
  const ran = spawnSync(WINE, [file, ...args], { cwd, env: environment(env), encoding: 'utf8' });
  return { code: ran.status, out: ran.stdout, lines: ran.stderr.split(/\r?\n/).filter(Boolean) };
}

// Begins to run a program. Returns the process, and a promise of the same.
function begin(file, cwd, { env = {}, args = [] } = {}) {
  const child = spawn(WINE, [file, ...args], { cwd, env: environment(env), stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const done = new Promise((resolve) => child.on('close', (code) => resolve({ code, out, lines: err.split(/\r?\n/).filter(Boolean) })));
  return { child, done };
}

// What `llvm-profdata` reads in a profile: counts of all functions, and values.
const show = (file) => run(tool('llvm-profdata'), 'show', '--all-functions', '--counts', '--ic-targets', '--memop-sizes', '--show-vtables', file);
// The same of the sum of all profiles in files, of which each may have several.
const sum = (...files) => {
  run(tool('llvm-profdata'), 'merge', ...files, '-o', `${files[0]}.sum`);
  return show(`${files[0]}.sum`);
};
const text = (file) => run(tool('llvm-profdata'), 'merge', '--text', file, '-o', '-');
const cov = (program, file) => {
  run(tool('llvm-profdata'), 'merge', file, '-o', `${file}.sum`);
  return run(tool('llvm-cov'), 'show', '--show-branches=count', '--show-mcdc', '--show-expansions', `--instr-profile=${file}.sum`, program);
};
const raws = (dir) => fs.readdirSync(dir).filter((name) => name.endsWith('.profraw')).sort();

// The variants of a C program that fit: their flags, and their runs without what needs a shell.
function variants(file, unfit) {
  const found = [{ name: '', flags: [], runs: [] }];
  const common = found[0];
  for (const [, word, rest] of fs.readFileSync(path.join(__dirname, '../../c-tests', file), 'utf8').matchAll(/^\/\/ profrt: (\S+) ?(.*)$/gm)) {
    if (word === 'variant') found.push({ name: rest, flags: [...common.flags], runs: [...common.runs] });
    const last = found.at(-1);
    if (/^[cl]?flags$/.test(word)) last.flags.push(...rest.split(' '));
    if (word === 'run') last.runs.push(...rest.split('; ').filter((line) => /^(\w+=\w+ )*main[ \w-]*$/.test(line)));
  }
  return (found.length > 1 ? found.slice(1) : found).filter(({ flags }) => !unfit.test(flags.join(' ')));
}

// A test with an empty directory.
const inDirectory = (name, body) =>
  test(name, async () => {
    const dir = scratch();
    try {
      await body(dir, (file) => path.join(dir, file));
    } finally {
      fs.rmSync(dir, { recursive: true });
    }
  });

module.exports = { CLANG, OVERLAY, PROFRT, TARGET, begin, cargo, compile, cov, environment, inDirectory, raws, run, scratch, show, sum, text, tool, variants, wine };
