// The table of functions: thousands of rows, of which those are drawn that are seen. And one function.

/** Rows that are drawn above and below those that are seen, and their height as the style has it. */
const OVERSCAN = 15, ROW = 28;

/** Titles of columns of numbers. */
const AMOUNTS = /count|largest|share/;

/** Columns: title, cell, and key of the order, largest first; texts rise. */
const COLUMNS = [
  ["class", (fn) => mark(classOf(fn)), (fn) => -Object.keys(CLASSES).indexOf(classOf(fn))],
  ["function", (fn) => el("a", { href: address("function", fn.number), title: fn.name }, shortened(fn.name)), (fn) => fn.name],
  ["first counter", (fn) => count(fn, 0), (fn) => fn.sides[LAST]?.[0] ?? -1],
  ["largest", (fn) => count(fn, 1), (fn) => fn.sides[LAST]?.[1] ?? -1],
  ["counts", (fn) => count(fn, 2), (fn) => fn.sides[LAST]?.[2] ?? -1],
  ["share", (fn) => (fn.sides[LAST] ? decimal(shareOf(fn)) : "–"), (fn) => fn.sides[LAST]?.[2] ?? -1],
  ...(IS_PAIR ? [
    ["in A", (fn) => mark(classOf(fn, 0)), (fn) => -Object.keys(CLASSES).indexOf(classOf(fn, 0))],
    ["counts in A", (fn) => count(fn, 2, 0), (fn) => fn.sides[0]?.[2] ?? -1],
    ["share gained", (fn) => gained(fn), (fn) => shareOf(fn) - shareOf(fn, 0)],
  ] : []),
  ["state", (fn) => [fn.state, change(fn), fn.context_sensitive && "context-sensitive"].filter(Boolean).join(", "), (fn) => [fn.state, change(fn)].join()],
  ["source", (fn) => (fn.path ? `${brief(fn.path)}:${fn.line}` : ""), (fn) => (fn.path ? `${fn.path}:${String(fn.line).padStart(9)}` : "\uffff")],
];

const count = (fn, which, side = LAST) => (fn.sides[side] ? exact(fn.sides[side][which]) : "–");

function gained(fn) {
  const gain = shareOf(fn, 1) - shareOf(fn, 0);
  if (Math.abs(gain) < 0.005) return gain === 0 ? "0" : "≈ 0";
  return `${gain > 0 ? "+" : "−"}${Math.abs(gain).toFixed(2)} %`;
}

/** What is shown, and its order: the number of a column, and whether it is turned around. */
const chosen = { filter: "all", path: "", words: [], column: 4, isTurned: false };

class Rows {
  constructor() {
    this.body = el("tbody");
    this.spaces = [0, 1].map(() => el("tbody", { "aria-hidden": "true" }, el("tr", null, el("td", { colspan: COLUMNS.length }))));
    this.heads = COLUMNS.map(([title], i) => el("th", { scope: "col", class: AMOUNTS.test(title) && "amount" }, el("button", { type: "button", click: () => this.order(i) }, title)));
    this.table = el("table", null, el("caption", { class: "unseen-text" }, "Functions"), el("thead", null, el("tr", { "aria-rowindex": 1 }, this.heads)), this.spaces[0], this.body, this.spaces[1]);
    this.element = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Functions", scroll: () => this.draw(), keydown: (event) => this.move(event) }, this.table);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  order(column) {
    chosen.isTurned = chosen.column === column && !chosen.isTurned;
    chosen.column = column;
    this.choose();
  }

  /** Finds what is wanted, and sorts it. */
  choose() {
    const { filter, path, words, column, isTurned } = chosen;
    const isWanted = FILTERS.get(filter) ?? FILTERS.get("all");
    const has = (fn) => words.every((word) => fn.lower.includes(word));
    for (const fn of functions) fn.lower ??= `${fn.name} ${fn.symbol} ${fn.path ?? ""}`.toLowerCase();
    const key = COLUMNS[column][2];
    const keyed = functions.filter((fn) => isWanted(fn) && (!path || fn.path === path || fn.path?.startsWith(path + "/")) && has(fn)).map((fn) => [key(fn), fn]);
    const sign = isTurned ? -1 : 1;
    const isText = typeof keyed[0]?.[0] === "string";
    // Some numbers are too large to be subtracted.
    keyed.sort(([one, a], [other, b]) => (one === other ? a.number - b.number : sign * (one < other === isText ? -1 : 1)));
    this.list = keyed.map(([, fn]) => fn);
    this.heads.forEach((head, i) => {
      if (i !== column) return head.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isText === isTurned ? "descending" : "ascending");
    });
    this.table.setAttribute("aria-rowcount", this.list.length + 1);
    this.from = -1;
    this.element.scrollTop = 0;
    this.draw();
    part("found").textContent = `${exact(this.list.length)} functions`;
    say(part("found").textContent);
  }

  /** Draws the rows that are seen, or so many from the first one. */
  draw(all = 0) {
    if (!this.list) return;
    const { scrollTop, clientHeight } = this.element;
    const from = all ? 0 : Math.max(0, Math.floor(scrollTop / ROW) - OVERSCAN);
    const to = Math.min(this.list.length, all || from + Math.ceil(clientHeight / ROW) + 2 * OVERSCAN);
    if (this.from === from && this.to === to) return;
    Object.assign(this, { from, to });
    const focused = Number(document.activeElement?.closest("tbody tr")?.getAttribute("aria-rowindex") ?? 0);
    this.body.replaceChildren(...this.list.slice(from, to).map((fn, i) => {
      const [first, name, ...cells] = COLUMNS.map(([, cell]) => cell(fn));
      return el("tr", { "aria-rowindex": from + i + 2 }, el("td", null, first), el("th", { scope: "row" }, name), cells.map((cell, i) => el("td", { class: AMOUNTS.test(COLUMNS[i + 2][0]) && "amount" }, cell)));
    }));
    this.spaces.forEach((space, i) => (space.firstChild.firstChild.style.height = `${(i ? this.list.length - to : from) * ROW}px`));
    if (focused) this.row(focused - 2)?.querySelector("a").focus({ preventScroll: true });
  }

  row(number) {
    return this.body.children[number - this.from];
  }

  /** Arrows move from row to row. */
  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target.closest("tbody tr");
    if (!step || !at) return;
    const to = Number(at.getAttribute("aria-rowindex")) - 2 + step;
    if (to < 0 || to >= this.list.length) return;
    event.preventDefault();
    // The event of the last scroll may not have come yet.
    this.draw();
    const row = this.row(to);
    row?.querySelector("a").focus();
    row?.scrollIntoView({ block: "nearest" });
  }
}

let rows = null;

function drawFunctions(filter = "all", path = "") {
  rows = new Rows();
  Object.assign(chosen, { filter: FILTERS.has(filter) ? filter : "all", path });
  const go = (event) => { location.hash = address("functions", event.target.value, path); };
  const search = el("input", { type: "search", id: "search", placeholder: "Search functions", "aria-label": "Search functions", autocomplete: "off", spellcheck: "false", value: chosen.words.join(" "), input: (event) => { chosen.words = wordsOf(event.target.value); rows.choose(); } });
  const which = el("select", { id: "which", "aria-label": "Functions that are shown", change: go }, [...FILTERS.keys()].map((name) => el("option", { selected: name === chosen.filter }, name)));
  part("main").replaceChildren(el("div", { class: "functions" },
    el("h1", null, "Functions"),
    el("div", { class: "tools" }, search, which, path ? el("a", { href: address("functions", filter, "") }, `✕ ${brief(path)}`) : null, el("span", { id: "found" })),
    rows.element));
  rows.choose();
}

/** Returns each counter of a function, with its share of the largest one. */
function counters(fn, side) {
  const [, largest, , , all = []] = fn.sides[side];
  const rows = all.map((count, i) => [i, bar(Number(count), Number(largest)), exact(count)]);
  return rows.length ? table(`Counters${IS_PAIR ? " in " + NAMES[side] : ""}${rows.length < 64 ? "" : ", the first 64"}`, ["number", "", "count"], rows) : null;
}

/** Returns the lines of a hot function with their counts, where a program has a coverage mapping. */
function source({ path, first, lines }) {
  const rows = lines.map(([text, count], i) => [first + i, count === null ? "" : exact(count), el("code", { class: "line" }, text)]);
  return table(`Source, ${brief(path)}`, ["line", "count", "code"], rows);
}

function drawFunction(number) {
  rows = null;
  const fn = functions[number];
  if (!fn) return drawOverview();
  const has = sides.map((_, side) => side).filter((side) => fn.sides[side]);
  const cells = (side) => [NAMES[side], mark(classOf(fn, side)), ...[0, 1, 2].map((which) => count(fn, which, side)), decimal(shareOf(fn, side))];
  const own = (sites) => sites.filter((site) => site.function === fn.name);
  const facts = [["symbol", fn.symbol], ["hash", fn.hash], ["source", fn.path && `${fn.path}:${fn.line}`], ["state", [fn.state, change(fn), fn.context_sensitive && "context-sensitive"].filter(Boolean).join(", ")]];
  part("main").replaceChildren(el("div", { class: "overview" },
    el("h1", null, fn.name),
    table("Function", ["what", "is"], facts.filter(([, is]) => is).map(([what, is]) => [what, el("code", null, is)])),
    has.length ? table("Counts", ["profile", "class", "first counter", "largest", "counts", "share"], has.map(cells)) : el("p", null, "No profile has it."),
    fn.source ? source(fn.source) : null,
    ...has.map((side) => counters(fn, side)),
    own(data.targets).length ? siteTable("Indirect calls by site", own(data.targets)) : null,
    callers(fn).length ? table("Indirect callers", ["function", "site", "calls"], callers(fn)) : null,
    own(data.memory).length ? siteTable("Memory sizes", own(data.memory)) : null));
}

window.addEventListener("beforeprint", () => rows?.draw(1000));
