// Tests in the page of `profrt cov --html --who`: what it shows is what `profrt cov who` says.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const path = require("node:path");
const { test } = require("node:test");
const { BOTH, accessible, at, current, hashOf, json, lineOf, lines, visit, whole } = require("./visit");

/** Asks `profrt cov who`, each question once. */
const answers = new Map();
function who(...question) {
  const key = question.join("\0");
  if (!answers.has(key)) {
    const text = execFileSync(process.env.PROFRT, ["who", at("who.who"), "--json", ...question], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    answers.set(key, JSON.parse(text));
  }
  return answers.get(key);
}

/** As the page shows it. */
const seen = (name) => name.replace("\u202e", "U+202E");

const names = (page, list) => page.$$eval(`${list} .test`, (buttons) => buttons.map((button) => button.textContent));

/** Returns what the chosen test ran, and only it, of the open file. */
const marked = (page) => page.$$eval(".line", (rows) => ["●", "◆"].map((sign) => rows.filter((row) => row.querySelector(".by")?.firstChild?.textContent === sign).map((row) => row.line)));

const chosen = (page, name) => page.waitForFunction((name) => document.getElementById("chosen").textContent.startsWith(`Test: ${name}`), seen(name));

/** Chooses a test by the keyboard: the search, and the first test that is found. */
async function choose(page, words) {
  await page.keyboard.press("t");
  await page.keyboard.type(words);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

test("a line shows its tests", async () => {
  const report = json("who.json");
  const ran = new Set();
  for (const form of BOTH("who")) {
    for (const file of report.files) {
      await visit(form, hashOf(report, file.path), async (page) => {
        await whole(page);
        for (const [number] of file.lines) {
          const wanted = who(`${file.path}:${number}`).tests.map(seen);
          const count = page.locator(".line", { has: page.locator(`a.number >> text="${number}"`) }).locator(".count");
          if (!wanted.length) {
            if ((await count.evaluate((one) => one.tagName)) === "BUTTON") {
              await count.click();
              assert.equal(await page.$(".details .tests"), null);
              await count.click();
            }
            continue;
          }
          ran.add(wanted.join());
          await count.click();
          assert.deepEqual(await names(page, ".details"), wanted, `${file.path}:${number}`);
          assert.match(await page.textContent(".details .tests caption"), new RegExp(`: ${wanted.length}$`));
          await page.keyboard.press("Enter");
          assert.equal(await page.$(".details"), null);
        }
      });
    }
  }
  assert.ok(ran.size >= 4, [...ran].join(";"));
});

test("a test shows its lines, in its files and their tree", async () => {
  const report = json("who.json");
  const { all } = who();
  assert.equal(all.length, 3);
  for (const form of BOTH("who")) {
    for (const { test: name, lines: sum, unique } of all) {
      const only = who("--unique", name).files;
      // By the keyboard, from the overview; then what the address says.
      await visit(form, "", async (page) => {
        await choose(page, seen(name).slice(0, 5));
        await chosen(page, name);
        assert.equal(await page.textContent("#chosen"), `Test: ${seen(name)} (${sum} lines, ${unique} only by it)`);
        let counted = 0;
        for (const file of report.files) {
          await page.evaluate((name) => [...document.querySelectorAll("#tree a.row")].find((row) => row.title.endsWith(name)).click(), path.basename(file.path));
          await page.reload();
          await chosen(page, name);
          await page.waitForSelector(".source .line");
          await whole(page);
          const alone = (only[file.path] ?? []).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
          const wanted = file.lines.map(([line]) => line).filter((line) => who(`${file.path}:${line}`).tests.includes(name));
          assert.deepEqual(await marked(page), [wanted.filter((line) => !alone.includes(line)), alone]);
          assert.equal((await page.$$(".not-by")).length, (await lines(page)).length - wanted.length);
          assert.equal(await page.textContent(".row[aria-current] .by"), `● ${wanted.length} `);
          counted += wanted.length;
          // A key goes to each run of lines.
          for (const first of wanted.filter((line) => !wanted.includes(line - 1))) {
            await page.keyboard.press("r");
            await page.waitForFunction((line) => document.querySelector(".at")?.line === line, first);
          }
        }
        assert.equal(counted, sum, name);
      });
    }
  }
});

test("a test is chosen at a line, and left", async () => {
  const report = json("who.json");
  const file = report.files.find((file) => file.path.endsWith("who.c"));
  await visit(at("who"), `${hashOf(report, "who.c")}:9`, async (page) => {
    await whole(page);
    await page.keyboard.press("i");
    await page.keyboard.press("d");
    await page.locator(".details .test", { hasText: "first" }).focus();
    await page.keyboard.press("Enter");
    await chosen(page, "first");
    assert.match(page.url(), /:9\?test=first$/);
    assert.equal(await current(page), 9);
    assert.equal(await page.getAttribute(".details .test >> text=first", "aria-pressed"), "true");
    // Everything leads on with the test.
    const links = await page.$$eval("a[href^='#']", (links) => links.map((link) => link.getAttribute("href")));
    assert.ok(links.length > file.lines.length && links.every((href) => href.endsWith("?test=first")), links.join(" "));
    await page.goBack();
    await page.waitForFunction(() => !document.querySelector(".not-by"));
    await page.goForward();
    await chosen(page, "first");
    await page.keyboard.press("o");
    await page.waitForSelector(".overview");
    await chosen(page, "first");
    await page.focus("#all-tests");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("chosen").textContent === "Tests: 3");
    assert.equal(await page.$(".by"), null);
  });
  // A test that the page does not have, as of an old link.
  await visit(at("who"), `${hashOf(report, "who.c")}?test=gone`, async (page) => assert.equal(await page.$(".not-by"), null));
});

test("of many tests fifty are shown, and the rest are found", async () => {
  const report = json("many.json");
  for (const form of BOTH("many")) {
    await visit(form, `${hashOf(report, "who.c")}:9`, async (page) => {
      await page.keyboard.press("d");
      assert.match(await page.textContent(".details"), /ran this line: 1,000[^]*and 950 more/);
      assert.equal((await names(page, ".details")).length, 50);
      await page.keyboard.press("t");
      await page.keyboard.type("tEST 876");
      assert.deepEqual(await names(page, "#found-tests"), ["Test876x"]);
      assert.equal(await page.textContent("#said"), "Found: 1");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await chosen(page, "Test876x");
      assert.deepEqual((await marked(page)).map((lines) => lines.includes(9)), [true, false]);
      await page.fill("#search-tests", "999");
      await page.click("#found-tests .test");
      await chosen(page, "Test999x");
      assert.ok((await marked(page))[1].includes(lineOf("who.src/who.c", "x = pick(1)")));
    });
  }
});

test("nothing is found by axe with a test", async () => {
  await accessible(at("who"), "#?test=first", async (page) => {
    await page.keyboard.press("t");
    assert.ok(await page.$(".by"));
  });
  await accessible(at("who"), `${hashOf(json("who.json"), "who.c")}:9?test=first`, async (page) => {
    await page.keyboard.press("d");
    await page.keyboard.press("t");
    assert.ok(await page.$(".details .test"));
  });
});

test("hostile names of tests run nothing", async () => {
  const report = json("who.json");
  for (const form of BOTH("who")) {
    await visit(form, `${hashOf(report, "who.c")}:9`, async (page) => {
      await page.keyboard.press("d");
      await page.keyboard.press("t");
      assert.ok((await names(page, ".details")).includes(seen("</script><img src=x onerror=hacked=1>\u202e")));
      for (const { test: name } of who().all) {
        await page.locator("#found-tests .test", { hasText: seen(name) }).click();
        await chosen(page, name);
      }
      assert.deepEqual(await page.evaluate(() => [typeof hacked, document.querySelectorAll("img, iframe, object, main script").length]), ["undefined", 0]);
    });
  }
});
