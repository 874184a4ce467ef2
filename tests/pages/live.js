// The server of `tool/tests/data/live`, which `make.js` builds, and `profrt live` that watches it.
"use strict";

const { spawn } = require("node:child_process");
const http = require("node:http");
const readline = require("node:readline");

const { PAGES: pages, PROFRT: tool } = process.env;

/** Returns the first line of a stream. */
async function firstLine(stream) {
  for await (const line of readline.createInterface({ input: stream })) return line;
}

/** Starts both. Returns the process, the address of the page, and the server's port. */
async function start() {
  const live = spawn(tool, ["live", "--interval", "0.1", "--marks", "live.marks", "--object", "plugin.so", "--", "./live.app", "./plugin.so"], { cwd: pages, stdio: ["ignore", "pipe", "pipe"] });
  const [address, port] = await Promise.all([firstLine(live.stderr), firstLine(live.stdout)]);
  return { live, address, port };
}

/** Sends a request to the server. */
const request = (port, name) => new Promise((done, failed) => http.get({ host: "127.0.0.1", port, path: `/${name}` }, (answer) => answer.resume().on("end", done)).on("error", failed));

/** Waits until a line that is shown has a count. */
const waitForCount = (page, line, count) => page.waitForFunction(([line, count]) => [...document.querySelectorAll(".line")].find((row) => row.line === line)?.querySelector(".count").textContent === count, [line, count]);

module.exports = { request, start, waitForCount };
