// Keys, and the start of the page.

const isLost = (line) => view.file.categories && index.categories[view.file.categories[line]] === "LBC";
isLost.isRun = isLost;

/** Code that did not run: the first line of a run, or a hole in a line. */
const isMissing = (line) => view.file.states[line] === NOT_RUN || view.file.regions.at(line).some((region) => region.count === 0);
isMissing.isRun = (line) => view.file.states[line] === NOT_RUN;

const isBy = (line) => by(view.file, line) !== NOT_BY;
isBy.isRun = isBy;

const hasOneSide = (line) => view.file.states[line] === PARTLY && view.file.branches.at(line).some((branch) => branch.counts.includes(0));

const go = (path, line) => location.replace(address(path, line));

/** Goes to the next line in this file, or to the first one in the next file that has any. */
function next(isWanted, step, what, has) {
  const line = view && view.find(isWanted, view.at || (step > 0 ? 0 : view.file.last + 1), step);
  if (line) {
    say(`line ${line}`);
    return go(view.file.path, line);
  }
  const all = inOrder();
  const from = view ? all.findIndex((file) => file.number === view.file.number) : step > 0 ? -1 : all.length;
  for (let i = from + step; i >= 0 && i < all.length; i += step) {
    if (!has(all[i])) continue;
    then = () => next(isWanted, step, what, has);
    return go(all[i].path);
  }
  say(`No more ${what}.`);
}

const lacks = (name) => (file) => {
  const [covered, count] = file.parts[index.parts.indexOf(name)];
  return covered < count;
};

function neighbor(step) {
  const all = inOrder();
  const from = view ? all.findIndex((file) => file.number === view.file.number) : step > 0 ? -1 : 0;
  const file = all[from + step];
  if (file) location.hash = address(file.path);
}

const ACTIONS = {
  n: () => next(isMissing, 1, "code that did not run", lacks("regions")),
  p: () => next(isMissing, -1, "code that did not run", lacks("regions")),
  b: () => next(hasOneSide, 1, "branches", lacks("branches")),
  v: () => next(hasOneSide, -1, "branches", lacks("branches")),
  l: () => index.baseline && next(isLost, 1, "lost lines", (file) => file.lost > 0),
  t: () => { if (index.tests) { showFiles(true); part("tests").open = true; part("search-tests").focus(); } },
  r: () => test && next(isBy, 1, "lines of the test", (file) => ranIn(file) > 0),
  d: () => view?.at && view.toggle(view.at),
  f: () => view && showOnly(view.show === "all" ? "missing" : "all"),
  i: () => { const list = part("functions"); if (list) { list.open = !list.open; list.querySelector("summary").focus(); } },
  "[": () => neighbor(-1),
  "]": () => neighbor(1),
  "/": () => { showFiles(true); part("search").focus(); },
  o: () => { location.hash = address(""); },
  "?": () => part("shortcuts").showModal(),
};

function press(key) {
  ACTIONS[key]?.();
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input[type=search], select");
  if (event.key === "Escape" && event.target.matches?.("input[type=search]")) {
    event.target.value = "";
    event.target.dispatchEvent(new Event("input"));
    part("main").focus();
  }
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping || part("shortcuts").open || !part("use-keys").checked || !ACTIONS[event.key]) return;
  event.preventDefault();
  press(event.key);
});

part("help").addEventListener("click", () => press("?"));
part("close-shortcuts").addEventListener("click", () => part("shortcuts").close());
part("close-shortcuts").before(keysTable());

/** Arrows move in the lists of tests and files. */
part("files").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.target.matches("select")) return;
  const all = [...part("files").querySelectorAll("input[type=search], .test, .row, .more")].filter((one) => one.checkVisibility());
  const to = all[all.indexOf(event.target) + step];
  if (to) {
    event.preventDefault();
    to.focus();
  }
});

function drawSum() {
  const [covered, count] = totals[index.parts.indexOf("lines")];
  part("sum").replaceChildren(ranBar(covered, count), ` ${percent(covered, count)}`, el("span", { class: "of" }, ` of ${exact(count)} lines`));
}

drawSum();
drawTests();
drawTree();
open();
