// The page of `profrt live` in a browser.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { launch } = require("./browser");
const { request, start, waitForCount } = require("./live");

const { PAGES: pages } = process.env;

/** Returns the counts of lines with code. */
const counts = (page) => page.$$eval(".line", (rows) => Object.fromEntries(rows.map((row) => [row.line, row.querySelector(".count").textContent]).filter(([, count]) => /^\d/.test(count))));

test("counts move, and a mark shows what one request runs", async (context) => {
  const { live, address, port } = await start();
  const browser = await launch();
  try {
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
    // What was called once is seen for more than a tick of 0.1 s, as less and less.
    const rate = () => page.evaluate(() => Number([...document.querySelectorAll("#calls tr")].find((row) => /sum/.test(row.textContent))?.lastChild.textContent ?? 0));
    const first = await rate();
    await page.waitForTimeout(400);
    const later = await rate();
    assert.ok(first > later && later > 0, `${first} ${later}`);
    context.diagnostic(`a call is seen after ${Date.now() - asked} ms`);
    await page.waitForFunction(() => !document.getElementById("sum").textContent.includes(" 0.0 %"));

    // A source that is open counts on.
    await page.click("#tree a:has-text('handlers.c')");
    await page.waitForSelector(".source .line");
    const before = await counts(page);
    assert.equal(before[36], "1");
    // A line is marked for a tick, which is shorter than a question to the browser may take, and which a busy page may miss.
    await page.evaluate(() => new MutationObserver(() => { window.moved ||= document.querySelector(".line.moving"); }).observe(document.body, { subtree: true, attributeFilter: ["class"] }));
    let calls = 1;
    do {
      await request(port, "login");
      await waitForCount(page, 36, String(++calls));
    } while (!(await page.evaluate(() => Boolean(window.moved))) && calls < 20);
    assert.ok(calls < 20, "a line that runs is marked");

    // A mark: only what runs after it.
    await page.fill("#mark-name", "one click");
    await page.click("#mark");
    await page.waitForFunction(() => [...document.querySelectorAll(".line .count")].every((count) => !/^[1-9?]/.test(count.textContent)));
    await request(port, "login");
    const source = fs.readFileSync(path.join(pages, "live.src/handlers.c"), "utf8").split("\n");
    const expected = source.flatMap((line, i) => /\/\/= .*\blogin\b/.test(line) ? [i + 1] : []);
    // A tick may come in the middle of the request.
    await page.waitForFunction((wanted) => [...document.querySelectorAll(".line .count")].filter((count) => /^[1-9?]/.test(count.textContent)).length >= wanted, expected.length);
    // What has no counter may wait: `else`.
    const ran = await page.$$eval(".line", (rows) => rows.filter((row) => /^[1-9?]/.test(row.querySelector(".count").textContent)).map((row) => row.line));
    assert.ok(await page.$(".line.uncertain"), "an else is uncertain");
    assert.deepEqual(ran, expected);
    // All counts are there again.
    await page.click("#since");
    await waitForCount(page, 36, String(calls + 1));

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
