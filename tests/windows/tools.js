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

module.exports = { CLANG, OVERLAY, PROFRT, TARGET, begin, compile, cov, environment, inDirectory, raws, run, scratch, show, sum, text, tool, wine };
