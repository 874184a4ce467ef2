// The browser of the tests: the system's Chromium.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Starts the browser. */
function launch() {
  const executablePath = process.env.CHROMIUM || PROGRAMS.find((program) => fs.existsSync(program));
  // Root may not use the sandbox, and containers have little shared memory.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Returns the address of a page, which is a file, or a directory with an index. */
function url(page, hash = "") {
  const file = fs.statSync(page).isDirectory() ? path.join(page, "index.html") : page;
  return pathToFileURL(path.resolve(file)).href + hash;
}

/** Returns the memory of this process's children and theirs, in MB: what is private to each, and shares of what is not. */
function memory() {
  const read = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return ""; } };
  const processes = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parent = new Map(processes.map((id) => [id, read(`/proc/${id}/stat`).split(") ").at(-1).split(" ")[1]]));
  const isOurs = (id) => id && id !== "0" && (id === String(process.pid) || isOurs(parent.get(id)));
  const sizes = processes.filter((id) => id !== String(process.pid) && isOurs(id)).map((id) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${id}/smaps_rollup`))?.[1] ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

module.exports = { launch, memory, url };
