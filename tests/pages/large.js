// The pages of a large program: `node large.js make DIR FILES` makes them with CLANG and PROFRT of the environment, of C sources like those that
// people write, 200 lines each, and prints the size of page.html over that of the deflated sources; `node large.js measure PAGE` prints, one
// number a line, milliseconds to the first paint, milliseconds to open the slowest of some files, and MB of memory of the browser's
// processes, more than with an empty page.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { launch, memory, url } = require("./browser");

const [, , what, where, number = "5000"] = process.argv;
const LINES = 200, PER_UNIT = 100;

const WORDS = `accept account add address align alloc append apply area array assign attach attribute backup balance base batch begin bind bit
  block body border boundary branch break buffer build bytes cache call cancel capacity chain change channel check child chunk class clear
  client clone close cluster code collect column command commit compare complete compress config connect constant consume container content
  context control convert copy count create current cursor data date decode default delay delete depth detach device digest direct disk
  display divide document domain drop duplicate edge element emit empty encode end engine entry error event exact exchange execute exit expand
  expect export expr extend fail fetch field file fill filter find first flag flush fold format forward frame free function gap generate
  global grant graph group grow guard handle hash head height hint hold hook host index info init input insert inspect install integer
  invoke item iterate job join journal jump keep kernel key kind label last layout leaf length level limit line link list load local lock
  log lookup loop lower major map mark mask match measure member memory merge message method middle minor missing mode model module mount
  move mutex name native next node normal notify null number object offset open operand option order origin output owner pack page pair
  parent parse part patch path pattern peer pending permit phase pin pivot place plan point pool pop port position post power prefix prepare
  previous print private probe process product profile project promise protect proxy publish pull purge push query queue quick quota random
  range rate read ready record recover reduce refer region register reject release remote remove render repair replace reply report request
  reserve reset resize resolve resource restore result resume retry return reverse revert rotate route row rule run sample save scale scan
  schedule schema scope score seal search second section segment select send sequence serial session set shape share shift show shrink side
  signal simple size skip slice slot sort source space span split stack stage start state static status step stop store stream strict string
  strip style submit sum suspend swap switch symbol sync table tail target task temp term test text thread tick time token total trace track
  trailer transfer transform tree trigger trim trunk type unit unlock unpack update upper usage user valid value vector verify version view
  visit volume wait wake walk watch weight width window word work worker wrap write yield zone`.split(/\s+/);

/** A generator of numbers that are the same in every run (mulberry32). */
function random(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function source(seed) {
  const next = random(seed);
  const word = () => WORDS[next(WORDS.length)];
  const name = () => `${word()}_${word()}`;
  const sentence = (words) => Array.from({ length: words }, word).join(" ");
  const lines = [`/* ${sentence(9)}.`, ` * ${sentence(11)}, ${sentence(4)}.`, ` */`, ""];
  const functions = [];
  while (lines.length < LINES - 12) {
    const own = `${name()}_${seed}_${functions.length}`;
    const locals = new Set();
    while (locals.size < 4) locals.add(name());
    const all = [...locals];
    const local = () => all[next(4)];
    const value = () => (next(3) ? local() : String(next(1000)));
    const is = () => `${local()} ${["<", ">", "==", "!=", "<="][next(5)]} ${value()}`;
    const change = () => `${local()} ${["+=", "-=", "^=", "="][next(4)]} ${value()}${next(2) ? ` ${["+", "*", "-", "&"][next(4)]} ${value()}` : ""};`;
    lines.push(`/* ${sentence(6)}: ${sentence(7)}. */`, `static int ${own}(int ${all[0]}, int ${all[1]}) {`, `  int ${all[2]} = ${next(50)}, ${all[3]} = ${all[0]};`);
    for (let i = 3 + next(5); i > 0; i--) {
      const kind = next(6);
      if (kind < 2) lines.push(`  if (${is()}${next(2) ? ` ${next(2) ? "&&" : "||"} ${is()}` : ""}) {`, `    ${change()}`, next(2) ? `    ${change()} // ${sentence(5)}` : `    return ${value()};`, "  }");
      else if (kind === 2) lines.push(`  for (int i = 0; i < ${1 + next(9)}; i++) {`, `    ${change()}`, `    if (${is()})`, "      break;", "  }");
      else if (kind === 3 && functions.length) lines.push(`  ${local()} += ${functions[next(functions.length)]}(${value()}, ${value()});`);
      else if (kind === 4) lines.push(`  // ${sentence(9)}`, `  ${change()}`);
      else lines.push(`  ${local()} = ${is()} ? ${value()} : ${value()};`);
    }
    lines.push(`  return ${local()} - ${local()};`, "}", "");
    functions.push(own);
  }
  lines.push(`int run_${seed}(int from) {`, "  int sum = 0;");
  // Some functions are never called.
  for (const fn of functions) if (next(4)) lines.push(`  sum ^= ${fn}(from, ${next(100)});`);
  lines.push("  return sum;", "}", "");
  return lines.join("\n");
}

function write() {
  const units = [];
  for (let seed = 0; seed < Number(number); seed++) {
    const next = random(seed * 7 + 1);
    const directory = `src/${WORDS[(seed >> 7) * 5]}/${WORDS[(seed >> 5) % WORDS.length]}`;
    fs.mkdirSync(path.join(where, directory), { recursive: true });
    const file = `${directory}/${WORDS[next(WORDS.length)]}_${seed}.c`;
    fs.writeFileSync(path.join(where, file), source(seed));
    const unit = Math.floor(seed / PER_UNIT);
    (units[unit] ??= []).push([file, seed]);
  }
  units.forEach((files, unit) => {
    const calls = files.map(([, seed]) => `  if (${seed} % 5) sum ^= run_${seed}(from);`);
    const text = [...files.map(([file]) => `#include "${file}"`), `int unit_${unit}(int from) {`, "  int sum = 0;", ...calls, "  return sum;", "}", ""];
    fs.writeFileSync(path.join(where, `unit_${unit}.c`), text.join("\n"));
  });
  const main = [...units.map((_, unit) => `int unit_${unit}(int);`), "int main(void) {", "  int sum = 0;", ...units.map((_, unit) => `  sum ^= unit_${unit}(${unit});`), "  return sum == 42;", "}", ""];
  fs.writeFileSync(path.join(where, "main.c"), main.join("\n"));
  return ["main.c", ...units.map((_, unit) => `unit_${unit}.c`)];
}

/** Writes the sources, and makes page.html and the directory page. */
function make() {
  const units = write();
  const run = (program, args) => execFileSync(program, args, { cwd: where, stdio: ["ignore", "ignore", "pipe"] });
  run(process.env.CLANG, ["-O0", "-w", "-fprofile-instr-generate", "-fcoverage-mapping", ...units, "-o", "app"]);
  run("./app", []);
  const cov = ["cov", "default.profraw", "--object", "app"];
  run(process.env.PROFRT, [...cov, "--json", "report.json", "--html", "page.html"]);
  run(process.env.PROFRT, [...cov, "--html", "page"]);
  const { files } = JSON.parse(fs.readFileSync(path.join(where, "report.json"), "utf8"));
  const sizes = files.map((file) => zlib.deflateRawSync(fs.readFileSync(path.join(where, file.path)), { level: 9 }).length);
  console.log(fs.statSync(path.join(where, "page.html")).size / sizes.reduce((sum, size) => sum + size));
}

async function measure() {
  const browser = await launch();
  const page = await browser.newPage();
  await page.waitForTimeout(1000);
  const empty = memory();
  // The overview is seen in the frame after it is there.
  await page.addInitScript(() => {
    const look = () => (document.querySelector(".overview table") ? setTimeout(() => { window.seen = performance.now(); }) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
  await page.goto(url(where), { waitUntil: "commit" });
  await page.waitForSelector(".overview table");
  const paint = await page.evaluate(() => new Promise((done) => {
    const at = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const look = () => (at() && window.seen ? done(Math.max(at(), window.seen)) : requestAnimationFrame(look));
    look();
  }));
  await page.waitForLoadState();
  // As links in the page have them.
  await page.selectOption("#sort", "name");
  const paths = await page.evaluate(() => JSON.parse(document.getElementById("index").textContent).files.map(([path]) => path));
  let root = paths[0].slice(0, paths[0].lastIndexOf("/") + 1);
  while (!paths.every((path) => path.startsWith(root))) root = root.slice(0, root.lastIndexOf("/", root.length - 2) + 1);
  const times = [];
  for (let i = 0; i < 20; i++) {
    const hash = "#" + paths[Math.floor((paths.length * i * 7) / 20 + i) % paths.length].slice(root.length);
    times.push(await page.evaluate((hash) => new Promise((done) => {
      const start = performance.now();
      const old = document.querySelector(".source");
      location.hash = hash;
      const look = () => {
        const now = document.querySelector(".source");
        if (now && now !== old && now.querySelector(".line")) requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        else requestAnimationFrame(look);
      };
      look();
    }), hash));
  }
  times.sort((one, other) => one - other);
  if (process.env.VERBOSE) console.error(times.map(Math.round).join(" "));
  console.log([paint, times.at(-1), memory() - empty].join("\n"));
  await browser.close();
}

({ make, measure })[what]();
