// Makes what the tests look at: programs, their profiles, reports in JSON, and pages. `node make.js` makes all, `node make.js live` only the server.
// The environment says where to (PAGES, a directory that is emptied), and with what: PROFRT (the tool), CLANG, ARCHIVE (profrt's, for this clang).
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const { PAGES: pages, PROFRT: profrt, CLANG: clang, ARCHIVE: archive } = process.env;
const COVERAGE = ["-fprofile-instr-generate", "-fcoverage-mapping", "-w"];

/** Tests and functions of the largest pages, and the lines of a source that is not drawn at once. */
const MANY = 1_000, ROWS = 10_000, LONG = 6_000;

/** Names of files that would be something else in a page that took them for markup, or in an address. */
const HOSTILE = ["</script><script>hacked=1</script>.c", "<img src=x onerror=hacked=1>/a.c", "\"'&amp;.c", "100%25#a.c", "a.c:7"];

/** The words that a program is called with, and names of the tests that did so. */
const TESTS = { 1: "first", 2: "</script><img src=x onerror=hacked=1>\u202e", 7: "a/b.c:7?test=100%25#\"'&amp; 7" };

const at = (name) => path.join(pages, name);
const copy = (from, to) => fs.cpSync(path.join(__dirname, from), at(to), { recursive: true });

function write(name, text) {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), text);
}

/** Runs a program, and returns what it prints. An error has what it says. */
const run = (program, args, env) => execFileSync(program, args, { cwd: pages, env: { ...process.env, ...env }, maxBuffer: Infinity, stdio: ["ignore", "pipe", "pipe"] });

const compile = (name, ...args) => run(clang, [...args, "-o", `${name}.app`]);

/** Runs the program `name` for a profile. */
const record = (name, profile = name, ...args) => run(at(`${name}.app`), args, { LLVM_PROFILE_FILE: `${profile}.profraw` });

const cov = (name, ...args) => run(profrt, ["cov", ...args, "--object", `${name}.app`]);

/** Writes the report about the profile of a program, and the page in both forms. */
function report(name, page = name, ...args) {
  cov(name, `${name}.profraw`, "--json", `${page}.json`, "--html", page, ...args);
  cov(name, `${name}.profraw`, "--html", `${page}.html`, ...args);
}

/** Writes the page of one or two profiles, and what `profrt show` says of the last one. */
function profile(name, profiles, ...args) {
  run(profrt, ["report", ...profiles, ...args, "--html", `${name}.report.html`]);
  write(`${name}.show.json`, run(profrt, ["show", profiles.at(-1), "--all", "--targets", "--memory", "--json"]));
}

/** Writes which tests ran which lines of the program `who`, and the report with it. */
function tests(name, ...args) {
  run(profrt, ["who", `${name}.tests`, "--object", "who.app", "--output", `${name}.who`, ...args]);
  cov("who", "who.tests", "--json", `${name}.json`, "--html", name, "--who", `${name}.who`);
  cov("who", "who.tests", "--html", `${name}.html`, "--who", `${name}.who`);
}

const MAKE = {
  /** Templates, decisions and what else a page shows; and the same compared with another run. */
  shapes() {
    copy("shapes", "shapes.src");
    compile("shapes", ...COVERAGE, "--driver-mode=g++", "-std=c++17", "-fcoverage-mcdc", "shapes.src/shapes.cpp");
    record("shapes", "before", "more");
    record("shapes");
    cov("shapes", "before.profraw", "--json", "before.json");
    report("shapes");
    profile("shapes", ["shapes.profraw"], "--object", "shapes.app");
    report("shapes", "baseline", "--baseline", "before.json");
  },

  /** Names and sources that would run something in a page that took them for markup: of coverage, and of a profile for optimization. */
  hostile() {
    const declared = HOSTILE.map((_, n) => `int f${n}(int x) __asm__("</script><img src=x onerror=hacked=1>${n}");\n`);
    const sources = HOSTILE.map((name) => `hostile.src/${name}`);
    sources.forEach((source, n) => write(source, `// </script><script>hacked=1</script> <!-- <script> \u202e\u2028
/* <img src=x onerror=hacked=1> \`\${hacked=1}\` */
${declared[n]}int f${n}(int x) { const char *s = "<svg onload=hacked=1>"; return x ? *s : 0; }
`));
    const calls = HOSTILE.map((_, n) => `f${n}(${n}) + `).join("");
    write("hostile.src/main.c", `${declared.join("")}int main(void) { return (${calls}0) == 1; }\n`);
    sources.push("hostile.src/main.c");
    compile("hostile", ...COVERAGE, "-x", "c", ...sources);
    record("hostile");
    report("hostile");
    compile("hostile-pgo", "-fprofile-generate", "-O1", "-g", "-w", "-x", "c", ...sources);
    record("hostile-pgo");
    profile("hostile-pgo", ["hostile-pgo.profraw"], "--object", "hostile-pgo.app");
  },

  /** A source that is gone. */
  gone() {
    write("gone.src/a.c", "int main(int argc, char **argv) {\n  if (argc > 1)\n    return 1;\n  return 0;\n}\n");
    compile("gone", ...COVERAGE, "gone.src/a.c");
    fs.rmSync(at("gone.src/a.c"));
    record("gone");
    report("gone");
  },

  /** A profile of another build. */
  stale() {
    write("stale.src/a.c", "int main(void) { return 0; }\n");
    compile("stale", ...COVERAGE, "stale.src/a.c");
    record("stale");
    write("stale.src/a.c", "int main(int x, char **a) {\n  while (x > 5)\n    x--;\n  return 0;\n}\nint f(void) { return 0; }\n");
    compile("stale", ...COVERAGE, "stale.src/a.c");
    report("stale");
  },

  /** A source of many lines. */
  long() {
    const body = Array.from({ length: LONG }, (_, n) => `  x += ${n}; /* line ${n} */\n`).join("");
    write("long.src/long.c", `int main(int x, char **a) {\n${body}  return x == 7;\n}\n`);
    compile("long", ...COVERAGE, "long.src/long.c");
    record("long");
    report("long");
  },

  /** A generic function of Rust. */
  rust() {
    copy("generic.rs", "rust.src/generic.rs");
    run("rustc", ["-Cinstrument-coverage", "rust.src/generic.rs", "-o", "rust.app"]);
    record("rust");
    report("rust", "rust", "--only", "*generic.rs");
  },

  /** A server for `profrt live`, and its shared object. What takes requests is not counted. */
  live() {
    copy("../../tool/tests/data/live", "live.src");
    const runtime = [archive, path.join(path.dirname(archive), "profrt-continuous.o")];
    run(clang, ["-c", "live.src/server.c", "-o", "live.server.o"]);
    compile("live", ...COVERAGE, "live.src/handlers.c", "live.server.o", ...runtime);
    run(clang, [...COVERAGE, "-shared", "-fPIC", "live.src/plugin.c", ...runtime, "-o", "plugin.so"]);
  },

  /** Pages that know which tests ran which lines: of three tests, and of many. */
  who() {
    copy("who", "who.src");
    compile("who", ...COVERAGE, "who.src/who.c");
    for (const word of Object.keys(TESTS)) record("who", `who.tests/${word}`, word);
    write("who.contexts", JSON.stringify(Object.fromEntries(Object.entries(TESTS).map(([word, test]) => [`${word}.profraw`, test]))));
    tests("who", "--contexts", "who.contexts");
    fs.mkdirSync(at("many.tests"));
    for (let n = 0; n < MANY; n++) {
      const word = n === MANY - 1 ? 7 : 1 + (n % 2);
      fs.copyFileSync(at(`who.tests/${word}.profraw`), at(`many.tests/Test${String(n).padStart(3, "0")}x.profraw`));
    }
    tests("many");
  },

  /** Profiles for optimization: of two versions of a program, and of many functions. */
  profiles() {
    copy("pgo", "pgo.src");
    const flags = ["-fprofile-generate", "-O1", "-g", "-w", "pgo.src/main.c", "pgo.src/lib/list.c"];
    compile("pgo", ...flags);
    compile("pgo-new", ...flags, "-DCHANGED");
    record("pgo");
    record("pgo-new", "pgo-new", "less");
    profile("pgo", ["pgo.profraw"], "--object", "pgo.app");
    profile("pair", ["pgo.profraw", "pgo-new.profraw"], "--object", "pgo-new.app");
    profile("stale-pgo", ["pgo.profraw"], "--object", "pgo-new.app");
    profile("hot-stale", ["pgo-new.profraw"], "--object", "pgo.app");
    const counts = (f, g) => `:ir\nf\n7\n2\n${f}\n1\n\ng\n7\n1\n${g}\n\nlist.c;h\n1\n1\n5\n\n`;
    write("inputs/day.proftext", counts(100, 90));
    write("inputs/night.proftext", counts(110, 80) + "list.c;h\n2\n1\n6\n");
    write("inputs/other.proftext", counts(2, 900));
    profile("inputs", ["inputs"]);
    const count = 2n ** 64n - 4n - BigInt(ROWS);
    write("large.proftext", `:ir\n${Array.from({ length: ROWS }, (_, n) => `f${n + 1}\n7\n2\n${n + 1}\n${count}\n`).join("")}`);
    profile("large", ["large.proftext"]);
  },
};

fs.rmSync(pages, { recursive: true, force: true });
fs.mkdirSync(pages, { recursive: true });
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MAKE)) MAKE[name]();
