// The page of `profrt live` in a browser. `cargo xtask test pages` builds the server of `tool/tests/data/live` as `live.app`.
"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const readline = require("node:readline");
const { test } = require("node:test");
const { launch } = require("./browser");

const { PAGES: pages, PROFRT: tool } = process.env;

/** Returns the first lines of a stream. */
async function firstLines(stream, number) {
  const lines = [];
  for await (const line of readline.createInterface({ input: stream })) if (lines.push(line) === number) break;
  return lines;
}

const request = (port, name) => new Promise((done, failed) => http.get({ host: "127.0.0.1", port, path: `/${name}` }, (answer) => answer.resume().on("end", done)).on("error", failed));

/** Returns the counts of lines with code. */
const counts = (page) => page.$$eval(".line", (rows) => Object.fromEntries(rows.map((row) => [row.line, row.querySelector(".count").textContent]).filter(([, count]) => /^\d/.test(count))));

test("counts move, and a mark shows what one request runs", async () => {
  const live = spawn(tool, ["live", "--interval", "0.1", "--marks", "live.marks", "--elf", "plugin.so", "--", "./live.app", "./plugin.so"], { cwd: pages, stdio: ["ignore", "pipe", "pipe"] });
  const browser = await launch();
  try {
    const [[address], [port]] = await Promise.all([firstLines(live.stderr, 1), firstLines(live.stdout, 1)]);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const wrong = [];
    page.on("console", (message) => wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(error.stack));
    page.on("request", (request) => { if (!request.url().startsWith(address.split("#")[0]) && !request.url().startsWith("data:")) wrong.push(`request: ${request.url()}`); });
    await page.goto(address);
    await page.waitForSelector("#calls");
    assert.ok(!page.url().includes(address.split("#")[1]), "the token is not kept in the address");
    assert.match(await page.textContent("#sum"), /^ 0\.0 % of \d+ lines$/);

    // The overview says what is called, then how much has run.
    const seen = page.waitForFunction(() => /sum/.test(document.getElementById("calls").textContent));
    const asked = Date.now();
    await request(port, "list");
    await seen;
    const late = Date.now() - asked;
    assert.ok(late < 5000, `seen after ${late} ms`);
    await page.waitForFunction(() => !document.getElementById("sum").textContent.includes(" 0.0 %"));

    // A source that is open counts on.
    await page.click("#tree a:has-text('handlers.c')");
    await page.waitForSelector(".source .line");
    const before = await counts(page);
    assert.equal(before[36], "1");
    // A line is marked for a tick, which is shorter than a question to the browser may take.
    await page.evaluate(() => {
      window.moved = new Promise((done) => new MutationObserver(() => document.querySelector(".line.moving") && done()).observe(document.body, { subtree: true, attributeFilter: ["class"] }));
    });
    await request(port, "login");
    await page.waitForFunction(() => [...document.querySelectorAll(".line")].find((row) => row.line === 36).querySelector(".count").textContent === "2");
    await page.evaluate(() => window.moved);

    // A mark: only what runs after it.
    await page.fill("#mark-name", "one click");
    await page.click("#mark");
    await page.waitForFunction(() => [...document.querySelectorAll(".line .count")].every((count) => !/^[1-9]/.test(count.textContent)));
    await request(port, "login");
    const source = fs.readFileSync(path.join(pages, "live.src/handlers.c"), "utf8").split("\n");
    const expected = source.flatMap((line, i) => /\/\/= .*\blogin\b/.test(line) ? [i + 1] : []);
    // A tick may come in the middle of the request.
    await page.waitForFunction((wanted) => [...document.querySelectorAll(".line .count")].filter((count) => /^[1-9]/.test(count.textContent)).length >= wanted, expected.length);
    const ran = Object.entries(await counts(page)).filter(([, count]) => count !== "0").map(([line]) => Number(line));
    assert.deepEqual(ran, expected);
    // All counts are there again.
    await page.click("#since");
    await page.waitForFunction(() => [...document.querySelectorAll(".line")].find((row) => row.line === 36).querySelector(".count").textContent === "3");

    // The tab knows the token, and another one does not.
    await page.reload();
    await page.waitForSelector(".source .line");
    const other = await browser.newPage();
    await other.goto(address.split("#")[0]);
    assert.match(await other.textContent(".note"), /has no token/);
    assert.deepEqual(wrong, []);
    page.removeAllListeners("console");
    await request(port, "quit").catch(() => {});
    live.kill("SIGTERM");
    await page.waitForFunction(() => /has ended/.test(document.getElementById("trouble").textContent));
    assert.ok(fs.existsSync(path.join(pages, "live.marks/one click.profdata")));
  } finally {
    live.kill("SIGTERM");
    await browser.close();
  }
});
