// Programs that are compiled to WebAssembly, and the engines that run them: wasmtime, and node's WASI with a host that a test can change.
'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
process.removeAllListeners('warning');
// Calls of WASI from optimized code crash node now and then: https://github.com/nodejs/node/issues/46777
require('node:v8').setFlagsFromString('--no-turbo-fast-api-calls');
const { WASI } = require('node:wasi');

const { CLANG = 'clang-22', OVERLAY, PROFRT, PYTHON } = process.env;
const PROFDATA = CLANG.replace('clang', 'llvm-profdata');
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
const scratch = () => fs.mkdtempSync(path.join(os.tmpdir(), 'profrt-wasm-'));

// Compiles C or C++ with the runtime in a resource directory.
function compile(source, output, flags, resources = OVERLAY) {
  run(CLANG, '-w', '--target=wasm32-wasi', '--sysroot=/usr', '-resource-dir', resources, '-O1', ...flags, path.resolve(__dirname, source), '-o', output);
  return output;
}

const modules = new Map();
const compiled = (file) => modules.get(file) ?? modules.set(file, new WebAssembly.Module(fs.readFileSync(file))).get(file);

// Thrown by a host that stops.
class Stop extends Error {}

// Runs a module in a directory. `host(name, call)` may replace each call of WASI. Returns the exit code (or 'stopped'), and the lines of stderr.
function node(file, cwd, { env = {}, args = [], host, preopens = { '.': cwd } } = {}) {
  const [out, err] = ['.stdout', '.stderr'].map((name) => path.join(os.tmpdir(), `profrt-wasm-${process.pid}${name}`));
  const [stdout, stderr] = [out, err].map((name) => fs.openSync(name, 'w'));
  const wasi = new WASI({ version: 'preview1', args: ['program', ...args], env, preopens, stdout, stderr, returnOnExit: true });
  const imports = { ...wasi.wasiImport };
  let memory;
  for (const name of host ? Object.keys(imports) : []) {
    const call = imports[name];
    imports[name] = (...parameters) => host(name, () => call(...parameters), parameters, memory);
  }
  const instance = new WebAssembly.Instance(compiled(file), { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory;
  let code;
  try {
    code = wasi.start(instance);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    code = 'stopped';
  }
  [stdout, stderr].forEach((fd) => fs.closeSync(fd));
  return { code, out: fs.readFileSync(out, 'utf8'), lines: fs.readFileSync(err, 'utf8').split('\n').filter(Boolean) };
}

function wasmtime(file, cwd, { env = {}, args = [] } = {}) {
  const ran = spawnSync(PYTHON, [path.join(__dirname, 'run.py'), file, ...args], { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
  return { code: ran.status, out: ran.stdout, lines: ran.stderr.split('\n').filter(Boolean) };
}

// What `llvm-profdata` reads in a profile: counts of all functions, and values.
const show = (file) => run(PROFDATA, 'show', '--all-functions', '--counts', '--ic-targets', '--memop-sizes', file);
const text = (file) => run(PROFDATA, 'merge', '--text', file, '-o', '-');
const raws = (dir) => fs.readdirSync(dir).filter((name) => name.endsWith('.profraw')).sort();

module.exports = { CLANG, OVERLAY, PROFRT, Stop, compile, node, raws, run, scratch, show, text, wasmtime };
