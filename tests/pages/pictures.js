// The pictures of the documents: `node pictures.js PAGE PROFILE TO`, of the pages of Lua, and of a server that runs.
"use strict";

const path = require("node:path");
const { launch, url } = require("./browser");
const { request, start, waitForCount } = require("./live");

const [, , where, profile, to] = process.argv;

/** Name, look, the file that is open, and the keys that are pressed there. */
const PICTURES = [
  ["source", { colorScheme: "light", viewport: { width: 900, height: 310 } }, "lapi.c", ["n", "n", "n"]],
  ["overview", { colorScheme: "light", viewport: { width: 900, height: 380 } }, null, []],
  ["details", { colorScheme: "dark", viewport: { width: 900, height: 330 } }, "lstrlib.c", ["b", "b", "b", "d"]],
];

(async () => {
  const browser = await launch();
  for (const [name, look, file, keys] of PICTURES) {
    const page = await browser.newPage(look);
    await page.goto(url(where, file ? `#${file}` : ""));
    await page.waitForSelector(file ? ".source .line" : ".overview");
    await page.evaluate(() => { document.getElementById("files").style.width = "300px"; });
    // Where the sources were is nobody's affair.
    await page.evaluate(() => document.querySelector(".overview > .path")?.remove());
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(100);
    }
    await page.screenshot({ path: path.join(to, `${name}.png`) });
    await page.close();
  }
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 900, height: 940 } });
  await page.goto(url(profile));
  await page.waitForSelector(".treemap .file");
  await page.evaluate(() => {
    document.querySelectorAll(".path, .lines").forEach((path) => path.remove());
    for (const directory of document.querySelectorAll(".treemap .directory")) directory.textContent = directory.textContent.split("/").slice(-2).join("/");
    [...document.querySelectorAll("h2")].at(-2).scrollIntoView();
  });
  await page.screenshot({ path: path.join(to, "profile.png") });
  await live(browser);
  await browser.close();
})();

/** What one request has run since a mark. */
async function live(browser) {
  const { live, address, port } = await start();
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1150, height: 440 } });
  await page.goto(address);
  await page.click("#tree a:has-text('handlers.c')");
  await page.fill("#mark-name", "list");
  await page.click("#mark");
  await waitForCount(page, 36, "0");
  await request(port, "list");
  await waitForCount(page, 36, "1");
  await page.evaluate(() => {
    document.getElementById("files").style.width = "290px";
    document.querySelectorAll(".line")[14].scrollIntoView();
  });
  await page.screenshot({ path: path.join(to, "live.png") });
  live.kill();
}
