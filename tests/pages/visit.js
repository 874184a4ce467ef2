// What tests of pages have in common: a browser, and what is read of a page in it. `make.js` has made what is shown, in the directory `PAGES`:
// programs, their reports in JSON, and their pages in both forms.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { after, before } = require("node:test");
const { launch, url } = require("./browser");

const pages = process.env.PAGES;
const at = (name) => path.join(pages, name);
const json = (name) => JSON.parse(fs.readFileSync(at(name), "utf8"));

/** Each page in both forms. */
const BOTH = (name) => [at(name), at(`${name}.html`)];

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Opens a page, does something with it, and sees that it has run without errors, and has asked for nothing but its own data. */
async function visit(file, hash, work, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(error.stack));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const own = url(file).replace(/index\.html$/, "data-");
  page.on("request", (request) => {
    const isPage = request.url().split("#")[0] === url(file);
    if (!isPage && !request.url().startsWith(own) && !request.url().startsWith("data:")) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(url(file, hash));
  await page.waitForSelector(".source .line, .note, .overview, .functions");
  await work(page);
  assert.deepEqual(wrong, []);
  await context.close();
}

/** Returns number, count, sign and text of each line that is drawn. */
const lines = (page) => page.$$eval(".line", (rows) => rows.map((row) => ({
  number: Number(row.querySelector(".number").textContent), count: row.querySelector(".count").textContent, title: row.querySelector(".count").title,
  sign: row.querySelector(".sign").firstChild?.textContent, text: row.querySelector("code.text").textContent, isAt: row.classList.contains("at"),
})));

const line = async (page, number) => (await lines(page)).find((line) => line.number === number);
const current = async (page) => (await lines(page)).find((line) => line.isAt)?.number;

/** Waits until all lines of a short file are drawn. */
const whole = (page) => page.waitForFunction(() => [...document.querySelectorAll(".chunk")].every((chunk) => chunk.children.length));

/** Returns the address of a file by the end of its path. */
const hashOf = (report, end) => {
  const paths = report.files.map((file) => file.path);
  let root = paths[0].slice(0, paths[0].lastIndexOf("/") + 1);
  while (!paths.every((path) => path.startsWith(root))) root = root.slice(0, root.lastIndexOf("/", root.length - 2) + 1);
  return "#" + paths.find((path) => path.endsWith(end)).slice(root.length).split("/").map(encodeURIComponent).join("/");
};

const lineOf = (source, text) => fs.readFileSync(at(source), "utf8").split("\n").findIndex((line) => line.includes(text)) + 1;

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const WIDE = { width: 1280, height: 800 };

/** How a page can look, and what of axe's rules can find something in it that was not found in the first: its colors, or the place of its parts. */
const COLORS = { runOnly: ["color-contrast"] };
const LOOKS = [
  { colorScheme: "light", rules: { runOnly: TAGS } },
  { colorScheme: "dark", rules: COLORS },
  { viewport: { width: 340, height: 700 }, rules: { runOnly: TAGS, rules: { "color-contrast": { enabled: false } } } },
  { colorScheme: "dark", media: "print", rules: COLORS },
];

/** Opens a page, does something with it, and sees that axe finds nothing in it, however it looks; and what else is seen then. */
const accessible = (file, hash, work, seen = () => {}) => visit(file, hash, async (page) => {
  await work(page);
  await page.evaluate(fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  for (const { colorScheme = "light", media = "screen", viewport = WIDE, rules } of LOOKS) {
    await page.emulateMedia({ colorScheme, media });
    await page.setViewportSize(viewport);
    await whole(page);
    const { violations, passes } = await page.evaluate((rules) => window.axe.run(rules), rules);
    const said = violations.map(({ id, help, nodes }) => `${id}: ${help}\n` + nodes.slice(0, 5).map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary}`).join("\n"));
    assert.equal(said.join("\n"), "", JSON.stringify({ hash, colorScheme, media, viewport }));
    assert.ok(passes.length > 0, "axe has looked");
    await seen(page);
  }
}, { bypassCSP: true });

module.exports = { BOTH, accessible, at, browser: () => browser, current, hashOf, json, line, lineOf, lines, visit, whole };
