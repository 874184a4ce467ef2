// The page of `profrt cov --html` in a browser.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { url } = require("./browser");
const { BOTH, accessible, at, browser, current, hashOf, json, line, lineOf, lines, visit, whole } = require("./visit");

test("counts and branches are those of the report, in both forms", async () => {
  for (const name of ["shapes", "hostile", "rust"]) {
    const report = json(`${name}.json`);
    for (const form of BOTH(name)) {
      for (const file of report.files) {
        await visit(form, hashOf(report, file.path), async (page) => {
          await whole(page);
          const shown = (await lines(page)).filter(({ count }) => /^\d/.test(count)).map(({ number, count, title }) => [number, /^[\d,]+/.test(title) && count !== "0" ? Number(title.split(";")[0].replaceAll(",", "")) : Number(count)]);
          assert.deepEqual(shown, file.lines, file.path);
          const source = fs.existsSync(file.path) ? fs.readFileSync(file.path, "utf8").split("\n") : null;
          // The tests' sources have unseen characters in the hostile ones only.
          if (source && name !== "hostile") assert.deepEqual((await lines(page)).map(({ text }) => text), source.slice(0, source.at(-1) === "" ? -1 : undefined));
          const withBranches = [...new Set(file.branches.map(({ range: [line] }) => line))];
          for (const number of withBranches) {
            const wanted = file.branches.filter(({ range: [line] }) => line === number).map(({ counts }) => counts.map((count) => count === null ? "never can be" : count ? count.toLocaleString("en-US") : "✗ never"));
            await page.evaluate((number) => [...document.querySelectorAll(".line")].find((row) => row.line === number).querySelector(".count").click(), number);
            const rows = await page.$$eval(".details table", (tables) => [...tables.find((table) => table.caption.textContent === "Branches").tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
            assert.deepEqual(rows, wanted, `${file.path}:${number}`);
            await page.evaluate((number) => [...document.querySelectorAll(".line")].find((row) => row.line === number).querySelector(".count").click(), number);
          }
        });
      }
    }
  }
});

test("the overview has the sums, and leads to the files", async () => {
  const report = json("shapes.json");
  for (const form of BOTH("shapes")) {
    await visit(form, "", async (page) => {
      const text = await page.textContent(".overview");
      for (const { count, covered } of [report.totals.lines, report.totals.branches]) assert.ok(text.includes(`${covered}${count - covered}`), text);
      await page.click(".overview table a >> text=shapes.cpp");
      await page.waitForSelector(".source");
      assert.match(await page.textContent("h1"), /shapes\.cpp$/);
      assert.match(await page.title(), /shapes\.cpp/);
    });
  }
});

test("files are searched, sorted and opened in the tree", async () => {
  await visit(at("shapes"), "", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("SHAP cpp");
    assert.deepEqual(await page.$$eval("#tree .row .name", (names) => names.map((name) => name.textContent)), ["shapes.cpp"]);
    assert.equal(await page.textContent("#said"), "1 file found");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".source");
    assert.equal(await page.getAttribute("#tree .row", "aria-current"), "page");
    await page.fill("#search", "nowhere");
    assert.match(await page.textContent("#tree"), /No file/);
    await page.focus("#search");
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue("#search"), "");
    await page.selectOption("#sort", "missing");
    const missing = await page.$$eval("#tree .missing", (list) => list.map((one) => Number(one.textContent.replace("−", ""))));
    assert.ok(missing.length > 1 && missing.every((number, i) => i === 0 || number <= missing[i - 1]), missing.join());
    const directory = page.locator("#tree button.row");
    assert.equal(await directory.getAttribute("aria-expanded"), "true");
    await directory.click();
    assert.equal(await directory.getAttribute("aria-expanded"), "false");
  });
});

test("keys go to what did not run, show details, hide what ran, and can be turned off", async () => {
  const report = json("shapes.json");
  await visit(at("shapes.html"), hashOf(report, "shapes.cpp"), async (page) => {
    await whole(page);
    const states = await lines(page);
    const wanted = states.filter(({ sign }, i) => sign === "✗" && states[i - 1]?.sign !== "✗").map(({ number }) => number);
    const seen = [];
    for (let i = 0; i < 12; i++) {
      const before = await current(page);
      await page.keyboard.press("n");
      for (let wait = 0; wait < 20 && (await current(page)) === before; wait++) await page.waitForTimeout(30);
      const number = await current(page);
      if (!seen.includes(number)) seen.push(number);
    }
    assert.ok(wanted.length > 1 && wanted.every((number) => seen.includes(number)), `${wanted} in ${seen}`);
    await page.keyboard.press("p");
    await page.waitForTimeout(30);
    assert.ok((await current(page)) < seen.at(-1) || !/shapes\.cpp/.test(await page.textContent("h1")));
  });
  await visit(at("shapes"), hashOf(report, "shapes.cpp"), async (page) => {
    await whole(page);
    await page.keyboard.press("b");
    await page.waitForSelector(".at .chip");
    await page.keyboard.press("d");
    assert.match(await page.textContent(".details"), /✗ never/);
    await page.keyboard.press("d");
    assert.equal(await page.$(".details"), null);
    await page.keyboard.press("f");
    const hidden = await page.textContent(".gap");
    assert.match(hidden, /⋯ \d+ lines?/);
    assert.ok((await lines(page)).length < 60);
    await page.click(".gap");
    await page.keyboard.press("f");
    await page.keyboard.press("i");
    assert.match(await page.textContent("#functions table"), /classify/);
    await page.keyboard.press("?");
    assert.match(await page.textContent("#shortcuts"), /Keyboard shortcuts.*previous code that did not run/s);
    await page.uncheck("#use-keys");
    await page.keyboard.press("Escape");
    const before = page.url();
    await page.keyboard.press("o");
    await page.keyboard.press("]");
    assert.equal(page.url(), before);
    await page.click("#help");
    await page.check("#use-keys");
    await page.keyboard.press("o");
    assert.equal(page.url(), before, "keys of the page do nothing behind the box");
    await page.click("#close-shortcuts");
    await page.keyboard.press("o");
    await page.waitForSelector(".overview");
  });
});

test("the overview says of what it is, and what colors mean", async () => {
  const git = (...args) => execFileSync("git", args, { cwd: at("."), encoding: "utf8" }).trim();
  await visit(at("baseline"), "", async (page) => {
    assert.equal(await page.textContent("h1"), `Coverage of ${path.basename(git("rev-parse", "--show-toplevel"))}`);
    assert.match(await page.textContent(".path"), new RegExp(`revision ${git("rev-parse", "--short", "HEAD")}.*made on \\d{4}-\\d\\d-\\d\\d.*below 75 %.*below 90 %`, "s"));
    const bars = await page.$$eval(".overview table:first-of-type tr:has(.bar)", (rows) => rows.map((row) => [parseFloat(row.querySelector(".percent").textContent), row.querySelector(".bar").classList[1]]));
    assert.deepEqual(bars.map(([, level]) => level), bars.map(([percent]) => (percent < 75 ? "low" : percent < 90 ? "medium" : "high")));
    assert.ok(new Set(bars.map(([, level]) => level)).size > 1);
    assert.ok(await page.$$eval(".overview td:last-child", (cells) => cells.every((cell) => !/^\d+$/.test(cell.textContent) || getComputedStyle(cell).textAlign === "right")), "numbers are aligned");
    assert.ok(!/excluded now/.test(await page.textContent(".overview")), "no category without lines");
  });
});

test("the tree follows the file that is opened, and its focus is seen whole", async () => {
  const report = json("shapes.json");
  await visit(at("shapes"), "", async (page) => {
    await page.click("#tree button.row");
    assert.equal(await page.$("#tree [data-file] >> text=clamp.h"), null);
    await page.evaluate((hash) => { location.hash = hash; }, hashOf(report, "clamp.h"));
    await page.waitForSelector(".source");
    assert.match(await page.textContent("#tree [aria-current]"), /clamp\.h/);
    await page.focus("#search");
    await page.keyboard.press("ArrowDown");
    const [width, offset] = await page.evaluate(() => ["outlineWidth", "outlineOffset"].map((name) => parseFloat(getComputedStyle(document.activeElement)[name])));
    assert.ok(width > 0 && width + offset <= 0, `${width} ${offset}`);
  });
});

test("a narrow page has the source alone, and the map is drawn anew in a wide one", async () => {
  const report = json("shapes.json");
  const drawn = (page) => page.$eval("canvas.map", (canvas) => [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].join());
  let wanted;
  await visit(at("shapes"), hashOf(report, "shapes.cpp"), async (page) => {
    await page.waitForTimeout(100);
    wanted = await drawn(page);
  });
  await visit(at("shapes"), "", async (page) => {
    await page.click("#tree a >> text=shapes.cpp");
    await page.waitForSelector(".source");
    assert.ok(!(await page.isVisible("#files")));
    assert.ok(await page.$eval("#main", (main) => main.clientHeight > innerHeight * 0.8));
    assert.ok(await page.$eval("#top", (top) => top.offsetHeight < 50), "the head is one line");
    await page.click("#show-files");
    assert.ok(await page.isVisible("#files"));
    await page.click("#show-files");
    await page.keyboard.press("/");
    assert.ok(await page.evaluate(() => document.activeElement.id === "search"));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForTimeout(100);
    assert.equal(await drawn(page), wanted);
  }, { viewport: { width: 400, height: 800 } });
});

test("a wide page has what did not run, and the functions, beside the source", async () => {
  const report = json("shapes.json");
  const file = report.files.find(({ path }) => path.endsWith("shapes.cpp"));
  await visit(at("shapes"), hashOf(report, "shapes.cpp"), async (page) => {
    const runs = await page.$$eval("#missing-lines a", (links) => links.map((link) => link.textContent.split("–").map(Number)));
    const shown = runs.flatMap(([first, last = first]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
    assert.deepEqual(shown, file.lines.filter(([, count]) => count === 0).map(([line]) => line));
    assert.ok(await page.evaluate(() => document.getElementById("facts").getBoundingClientRect().left > document.querySelector(".source").getBoundingClientRect().right));
    const [name, title] = await page.$eval("#functions a >> text=unused", (link) => [link.textContent, link.title]);
    assert.equal(name, "unused(std::vector<…>&)");
    assert.match(title, /^unused\(std::.*vector<int, /);
    await page.click("#missing-lines a");
    assert.equal(await current(page), runs[0][0]);
  }, { viewport: { width: 1600, height: 800 } });
});

test("a link leads to its line", async () => {
  const report = json("shapes.json");
  const number = lineOf("shapes.src/shapes.cpp", "return 42;");
  for (const form of BOTH("shapes")) {
    await visit(form, `${hashOf(report, "shapes.cpp")}:${number}`, async (page) => {
      assert.equal(await current(page), number);
      assert.ok(await page.$eval(".at", (row) => row.getBoundingClientRect().top > 0 && row.getBoundingClientRect().bottom < innerHeight));
      await page.click(".line a.number >> nth=0");
      assert.match(page.url(), /:\d+$/);
    });
  }
});

test("instantiations are chosen", async () => {
  const report = json("shapes.json");
  const returns = lineOf("shapes.src/shapes.cpp", "return low;");
  await visit(at("shapes"), hashOf(report, "shapes.cpp"), async (page) => {
    const options = await page.$$eval(".chooser option", (list) => list.map((option) => option.textContent));
    assert.ok(options.length === 4 && options[0].startsWith("all 3"), options.join());
    assert.equal((await line(page, returns)).count, "1");
    const counts = [];
    for (const value of ["0", "1", "2"]) {
      await page.selectOption(".chooser select", value);
      counts.push((await line(page, returns)).count);
    }
    assert.deepEqual(counts.sort(), ["0", "0", "1"]);
    await page.selectOption(".chooser select", "-1");
    assert.equal((await line(page, returns)).count, "1");
  });
});

test("MC/DC has conditions and the test vectors that ran; excluded lines have their sign", async () => {
  const report = json("shapes.json");
  await visit(at("shapes"), hashOf(report, "shapes.cpp"), async (page) => {
    const number = lineOf("shapes.src/shapes.cpp", "return admin");
    await page.evaluate((number) => [...document.querySelectorAll(".line")].find((row) => row.line === number).querySelector(".count").click(), number);
    const tables = await page.$$eval(".pair table", (list) => list.map((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))));
    assert.deepEqual(tables[0].map(([name, text]) => [name, text]), [["C1", "admin"], ["C2", "owner"], ["C3", "open"]]);
    assert.deepEqual(tables[1].map((row) => row.slice(1)).sort(), [["F", "F", "-", "F"], ["F", "T", "T", "T"], ["T", "-", "-", "T"]]);
    const [decision] = report.files.find((file) => file.path.endsWith("shapes.cpp")).mcdc.filter(({ range }) => range[0] === number);
    assert.deepEqual(tables[0].map(([, , state]) => state.startsWith("✓")), decision.conditions);
    assert.equal((await line(page, lineOf("shapes.src/shapes.cpp", "LCOV_EXCL_LINE"))).sign, "∅");
  });
});

test("a baseline gives categories, and lost lines can be gone to", async () => {
  const report = json("baseline.json");
  await visit(at("baseline"), "", async (page) => {
    const text = await page.textContent(".overview");
    assert.match(text, /LBClost: ran before1/);
    await page.check("#lost");
    assert.equal((await page.$$eval("#tree a.row", (rows) => rows.length)), 1);
    await page.keyboard.press("l");
    await page.waitForSelector(".at");
    assert.equal(await page.textContent(".at .category"), "LBC");
    assert.deepEqual(await page.$$eval(".category", (list) => [...new Set(list.map((one) => one.textContent).filter(Boolean))]), ["LBC"], "only what is unusual");
    await page.selectOption("#show", "lost");
    const categories = await page.$$eval(".lost .category", (list) => list.length);
    assert.equal(categories, report.baseline.lines.LBC);
  });
});

test("a missing source is said to be missing", async () => {
  const report = json("gone.json");
  await visit(at("gone.html"), hashOf(report, "a.c"), async (page) => {
    assert.match(await page.textContent(".note"), /cannot be read/);
    const shown = (await lines(page)).filter(({ count }) => count).map(({ number, count }) => [number, Number(count)]);
    assert.deepEqual(shown, report.files[0].lines);
  });
});

test("functions that are not counted are named, with what to do", async () => {
  await visit(at("stale"), "", async (page) => {
    assert.match(await page.textContent(".overview details summary"), /^(stale|other build): 1 functions of programs$/);
    await page.click(".overview details summary");
    assert.match(await page.innerText(".overview details"), /Remedy: [^]*main 0x/);
  });
});

test("data that are missing are named", async () => {
  const copy = at("copied");
  fs.rmSync(copy, { recursive: true, force: true });
  fs.mkdirSync(copy);
  fs.copyFileSync(path.join(at("shapes"), "index.html"), path.join(copy, "index.html"));
  const context = await browser().newContext();
  const page = await context.newPage();
  await page.goto(url(copy, hashOf(json("shapes.json"), "shapes.cpp")));
  assert.match(await page.textContent("[role=alert]"), /data-\w+\/\d+\.js cannot be loaded/);
  await context.close();
});

test("hostile names, paths and sources run nothing", async () => {
  const report = json("hostile.json");
  for (const form of BOTH("hostile")) {
    await visit(form, "", async (page) => {
      assert.ok((await page.textContent("#tree")).includes("<img src=x onerror=hacked=1>"));
      for (const file of report.files) {
        await page.evaluate((hash) => { location.hash = hash; }, hashOf(report, file.path));
        await page.waitForFunction((name) => document.querySelector("h1").textContent.endsWith(name), path.basename(file.path));
        await whole(page);
        if (!file.path.endsWith("main.c")) assert.ok((await line(page, 1)).text.includes("U+202E"), "what changes directions is seen");
        await page.keyboard.press("i");
        await page.keyboard.press("f");
      }
      assert.deepEqual(await page.evaluate(() => [typeof hacked, document.querySelectorAll("img, iframe, object, main script").length]), ["undefined", 0]);
    });
  }
});

test("nothing is found by axe: light, dark, print, narrow", async () => {
  await accessible(at("baseline"), "", () => {});
  await accessible(at("baseline"), "", (page) => page.keyboard.press("?"));
  await accessible(at("baseline"), hashOf(json("baseline.json"), "shapes.cpp"), async (page) => {
    await whole(page);
    await page.evaluate(() => document.querySelectorAll(".chip").forEach((chip) => chip.isConnected && chip.click()));
    await page.keyboard.press("i");
    await page.keyboard.press("n");
  });
});

test("long files are drawn as far as they are seen, and printed whole", async () => {
  const report = json("long.json");
  await visit(at("long"), hashOf(report, "long.c"), async (page) => {
    assert.ok((await page.$$eval(".line", (rows) => rows.length)) < 1000);
    for (let i = 0; i < 20; i++) {
      await page.evaluate(() => new Promise((done) => { document.getElementById("main").scrollTop += 2000; requestAnimationFrame(() => setTimeout(done, 20)); }));
    }
    assert.ok((await page.$$eval(".line", (rows) => rows.length)) < 1000, "what is far away is not kept");
    const last = report.files[0].lines.at(-1)[0];
    await page.evaluate((hash) => { location.hash = hash; }, `${hashOf(report, "long.c")}:${last}`);
    await page.waitForSelector(".at");
    assert.equal(await current(page), last);
    assert.ok(await page.$eval(".at", (row) => row.getBoundingClientRect().bottom < innerHeight));
    await page.waitForTimeout(200);
    assert.ok((await page.$$eval(".line", (rows) => rows.length)) < 1000);
    assert.ok(await page.$eval(".at", (row) => row.getBoundingClientRect().bottom < innerHeight));
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal((await page.$$eval(".line", (rows) => rows.length)), last);
  });
});

test("the script that highlights is the one of its package", () => {
  const bundled = fs.readFileSync(path.join(__dirname, "../../tool/templates/cov/vendor/highlight.min.js"));
  assert.deepEqual(bundled, fs.readFileSync(require.resolve("@highlightjs/cdn-assets/highlight.min.js")));
});
