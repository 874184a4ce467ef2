// The page of `profrt report` in a browser.
"use strict";

const assert = require("node:assert/strict");
const { test } = require("node:test");
const { accessible, at, json, visit } = require("./visit");

const page = (name) => at(`${name}.report.html`);

/** Returns the cells of the rows that are drawn. */
const cells = (page) => page.$$eval(".scroll tbody:not([aria-hidden]) tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

const grouped = (number) => number.toLocaleString("en-US");
const found = (page) => page.textContent("#found");

test("numbers and limits are those of profrt show", async () => {
  const show = json("pgo.show.json");
  await visit(page("pgo"), "", async (page) => {
    const { summary } = show;
    const text = await page.textContent(".overview");
    for (const said of [`hot from${grouped(summary.hot_count)}`, `counts${grouped(summary.counts)}`, `functions${summary.functions}, ${summary.functions_that_ran} ran`]) assert.ok(text.includes(said), `${said} in ${text}`);
    assert.match(text, new RegExp(`${summary.hot_counters} counters have 99 %`));
    assert.ok(text.includes(`▲ hot${summary.hot_functions}`), text);
    await page.click("#views a >> text=Functions");
    await page.waitForSelector(".scroll");
    const rows = (await cells(page)).map(([, name, , largest, counts]) => [name, largest, counts]);
    assert.deepEqual(rows.sort(), show.functions.map((fn) => [fn.name, grouped(fn.largest_count), grouped(fn.counts)]).sort());
    await page.click("#views a >> text=Call targets");
    const [site] = show.targets;
    const targets = await page.$eval(".sites table", (table) => table.innerText);
    assert.ok(targets.includes(site.function) && site.values.every(({ value, count }) => targets.includes(`${grouped(count)} ${value}`)), targets);
    await page.click("#views a >> text=Memory sizes");
    const [memory] = show.memory;
    const sizes = await page.$eval(".sites table", (table) => table.innerText);
    assert.ok(sizes.includes(`${grouped(memory.values[0].count)} ${memory.values[0].value}`), sizes);
    await page.fill("#search", "nowhere");
    assert.equal(await page.$(".sites table"), null);
  });
});

test("counts that are larger than a number are exact", async () => {
  const [first] = json("large.show.json").functions;
  await visit(page("large"), "#functions", async (page) => {
    assert.equal((await cells(page))[0][3], grouped(18446744073709541612n));
    assert.match(String(first.largest_count), /^1844674407370954/);
  });
});

test("thousands of rows are drawn as far as they are seen, sorted and searched", async () => {
  await visit(page("large"), "#functions", async (page) => {
    assert.equal(await found(page), "10,000 functions");
    assert.ok((await cells(page)).length < 100);
    await page.evaluate(() => { document.querySelector(".scroll").scrollTop = 1e6; });
    await page.waitForFunction(() => [...document.querySelectorAll(".scroll tbody a")].some((link) => link.textContent === "f1"));
    assert.ok((await cells(page)).length < 100);
    await page.click(".scroll thead button >> text=first counter");
    assert.equal((await cells(page))[0][1], "f10000");
    await page.click(".scroll thead button >> text=first counter");
    assert.equal((await cells(page))[0][1], "f1");
    assert.equal(await page.getAttribute(".scroll th[aria-sort]", "aria-sort"), "ascending");
    await page.focus(".scroll tbody a");
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "f61");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("h1").textContent === "f61");
    await page.goBack();
    await page.fill("#search", "F99 9");
    assert.equal(await page.textContent("#said"), await found(page));
    assert.ok((await cells(page)).every(([, name]) => name.includes("f99") || name.includes("9")));
    await page.fill("#search", "");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal((await cells(page)).length, 1000);
  });
});

test("stale and never trained functions are found", async () => {
  await visit(page("stale-pgo"), "", async (page) => {
    const names = async (which) => {
      await page.goto(page.url().split("#")[0]);
      await page.click(`.overview table a >> text=${which}`);
      await page.waitForSelector(".scroll");
      return (await cells(page)).map(([, name]) => name).sort();
    };
    assert.deepEqual(await names("stale"), ["stale"]);
    assert.deepEqual(await names("never trained"), ["added", "never"]);
    assert.deepEqual(await names("not in the program"), ["gone"]);
    assert.deepEqual(await names("never ran"), ["never"]);
  });
});

/** Returns the sign and the text of each line of the verdict. */
const verdict = (page) => page.$$eval(".verdict li", (lines) => lines.map((line) => line.textContent));

/** Follows a link of the verdict, and returns the names of the functions that are listed. */
async function listed(page, text) {
  await page.click(`.verdict a >> text=${text}`);
  await page.waitForSelector(".scroll");
  return (await cells(page)).map(([, name]) => name);
}

test("the first look is a verdict, each line of which leads to its list", async () => {
  await visit(page("stale-pgo"), "", async (page) => {
    const [trained, stale, dominant, ...rest] = await verdict(page);
    assert.match(trained, /⚠ 6 of 9 functions of the program ran in training \(66\.67 %; .*2 functions never trained: train/);
    assert.match(stale, /✓ No hot function is stale/);
    assert.match(dominant, /✓ No counter dominates: the largest 2 counters have 42\.64 %/);
    assert.deepEqual(rest, []);
    assert.deepEqual((await listed(page, "never trained")).sort(), ["added", "never"]);
  });
  await visit(page("hot-stale"), "", async (page) => {
    assert.match((await verdict(page))[1], /⚠ 1 hot function with 1\.56 % of all counts is stale: rebuild/);
    assert.match((await verdict(page))[2], /⚠ 2 counters have 97\.25 % of all counts, the largest is in fill: .*--balance/);
    assert.deepEqual(await listed(page, "hot function"), ["stale"]);
  });
  await visit(page("inputs"), "", async (page) => {
    const lines = await verdict(page);
    assert.ok(lines.some((line) => /⚠ 2 records have ambiguous names/.test(line)), lines.join("\n"));
    assert.ok(lines.some((line) => /⚠ Of 3 inputs, inputs\/other.proftext has least in common with the rest: 4\d\.\d\d %/.test(line)), lines.join("\n"));
    assert.deepEqual(await listed(page, "ambiguous"), ["list.c;h", "list.c;h"]);
    await page.goBack();
    await page.click(".verdict a >> text=other.proftext");
    await page.waitForSelector("h1 >> text=Inputs");
    assert.deepEqual(await page.$$eval("tbody th", (names) => names.map((name) => name.textContent)), ["inputs/other.proftext", "inputs/night.proftext", "inputs/day.proftext"]);
  });
  await visit(page("pair"), "", async (page) => {
    const [overlap, ...rest] = await verdict(page);
    assert.match(overlap, /⚠ A and B have 29\.46 % of their counts in common; 2 functions changed class/);
    assert.ok(rest.length <= 4);
    assert.deepEqual((await listed(page, "changed class")).sort(), ["apply", "twice"]);
  });
});

test("a hot function of a front-end profile has its source with counts", async () => {
  await visit(page("shapes"), "#functions/hot", async (page) => {
    await page.click(".scroll tbody a");
    const rows = await page.$$eval("table:has(caption:text-matches('^Source')) tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const { files } = json("shapes.json");
    const lines = new Map(files.find(({ path }) => path.endsWith("shapes.cpp")).lines);
    assert.ok(rows.length > 1 && rows.some(([, count]) => count), JSON.stringify(rows));
    for (const [line, count, text] of rows) {
      assert.equal(count, lines.has(Number(line)) ? grouped(lines.get(Number(line))) : "", `${line}: ${text}`);
    }
  });
});

test("what changed its class leads to the functions", async () => {
  await visit(page("pair"), "", async (page) => {
    assert.match(await page.textContent(".overview"), /only in A1.*only in B1/);
    await page.click(".overview table:has(caption:text('by their class')) a");
    await page.waitForSelector(".scroll");
    const rows = await cells(page);
    assert.ok(rows.length > 0 && rows.every((row) => row[0] !== row[6] && /class changed/.test(row[9])), JSON.stringify(rows));
    await page.selectOption("#which", "only in A");
    await page.waitForFunction(() => document.querySelector("#which").value === "only in A");
    assert.deepEqual((await cells(page)).map(([, name, , , , , , , gained]) => [name, gained[0]]), [["gone", "−"]]);
    await page.selectOption("#which", "class changed");
    await page.click(".scroll thead button >> text=share gained");
    const gains = (await cells(page)).map((row) => Number(row[8].replace("−", "-").replace(/[+ %]/g, "").replace("≈", "")));
    assert.deepEqual(gains, gains.slice().sort((one, other) => other - one));
  });
});

test("files are in the treemap, and lead to their functions", async () => {
  await visit(page("pgo"), "", async (page) => {
    await page.waitForSelector(".treemap .file");
    assert.deepEqual((await page.$$eval(".treemap a", (files) => files.map((file) => file.textContent.replace(/ [\d.]+ %$/, "")))).sort(), ["list.c", "main.c"]);
    assert.match(await page.textContent(".lines"), /lib\/list\.c/);
    const areas = await page.$$eval(".treemap a", (files) => Object.fromEntries(files.map((file) => [file.textContent.split(" ")[0], file.offsetWidth * file.offsetHeight])));
    assert.equal(areas["list.c"] > areas["main.c"], (await page.textContent(".lines li")).includes("list.c"));
    await page.click(".treemap a >> text=list.c");
    await page.waitForSelector(".scroll");
    assert.deepEqual((await cells(page)).map(([, name]) => name).sort(), ["apply", "fill", "square", "twice"]);
    assert.match((await cells(page))[0].at(-1), /^lib\/list\.c:\d+$/);
    await page.click(".tools a");
    await page.waitForFunction(() => document.querySelectorAll(".scroll tbody a").length > 4);
    await page.click(".scroll tbody a >> text=apply");
    await page.waitForFunction(() => document.querySelector("h1").textContent === "apply");
    assert.match(await page.textContent(".overview"), /call 0.*twice.*square/s);
    await page.click("table a >> text=square");
    await page.waitForFunction(() => document.querySelector("h1").textContent === "square");
    assert.match(await page.textContent(".overview"), /Indirect callers.*applycall 01,000/s);
    await page.goBack();
    await page.click("#views a >> text=Functions");
    await page.click(".scroll tbody a >> text=main");
    await page.waitForFunction(() => document.querySelector("h1").textContent === "main");
    assert.match(await page.textContent("table:has(caption:text-is('Counters'))"), /3,000.*2,000/s);
  });
});

test("colors of the treemap are shares, and of two profiles what changed class", async () => {
  const colors = (page) => page.$$eval(".treemap a", (files) => files.map((file) => [file.textContent, file.className, getComputedStyle(file).backgroundColor]));
  await visit(page("pgo"), "", async (page) => {
    await page.waitForSelector(".treemap .file");
    assert.equal(new Set((await colors(page)).map(([, , color]) => color)).size, 2, "shares differ");
  });
  await visit(page("pair"), "", async (page) => {
    await page.waitForSelector(".treemap .file");
    assert.match(await page.textContent(".legend"), /some hotter.*some colder.*none changed/s);
    assert.deepEqual((await colors(page)).map(([text, kind]) => [text, kind]).sort(), [["= main.c", "file same"], ["▽ list.c", "file colder"]]);
  });
});

test("hostile names run nothing", async () => {
  await visit(page("hostile-pgo"), "", async (page) => {
    assert.ok((await page.textContent(".lines")).includes("<img src=x onerror=hacked=1>"));
    for (const [path] of await page.$$eval(".lines a, .treemap a", (links) => links.map((link) => [link.getAttribute("href")]))) {
      await page.evaluate((path) => { location.hash = path; }, path);
      await page.waitForSelector(".scroll");
      assert.ok((await cells(page)).length > 0, path);
    }
    await page.evaluate(() => { location.hash = "#functions"; });
    await page.waitForFunction(() => document.querySelectorAll(".scroll tbody a").length > 5);
    assert.ok((await cells(page)).some(([, name]) => name.includes("</script><img src=x onerror=hacked=1>")));
    await page.evaluate(() => { location.hash = "#function/<img src=x onerror=hacked=1>"; });
    await page.waitForSelector(".overview");
    assert.deepEqual(await page.evaluate(() => [typeof hacked, document.querySelectorAll("img, iframe, object, main script").length]), ["undefined", 0]);
  });
});

test("nothing is found by axe: light, dark, print, narrow", async () => {
  await accessible(page("inputs"), "#inputs", () => {});
  for (const where of ["", "#functions", "#calls", "#memory", "#function/0"]) {
    const work = async (page) => {
      if (where) return;
      await page.waitForSelector(".treemap .file");
      await page.click(".overview summary");
    };
    await accessible(page("pair"), where, work, async (page) => {
      if (where !== "#functions") assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is cut");
    });
  }
});
