// The overview, the sites of values, and what is shown by the address.

function totals() {
  const rows = [
    ["functions", (side) => `${exact(side.summary.functions)}, ${exact(side.summary.functions_that_ran)} ran`],
    ["counters", (side) => `${exact(side.summary.counters)}, ${exact(side.summary.counters_that_ran)} ran`],
    ["counts", (side) => exact(side.summary.counts)],
    ["largest count", (side) => exact(side.summary.largest_count)],
    ["▲ hot from", (side) => exact(side.limits.hot)],
    ["▽ cold to", (side) => exact(side.limits.cold)],
  ];
  if (sides.some((side) => side.context_sensitive_limits)) {
    const of = (name) => (side) => (side.context_sensitive_limits ? exact(side.context_sensitive_limits[name]) : "–");
    rows.push(["▲ hot from, context-sensitive", of("hot")], ["▽ cold to, context-sensitive", of("cold")]);
  }
  return table("Profile", ["what", ...NAMES], rows.map(([name, of]) => [name, ...sides.map(of)]));
}

function classTable() {
  const all = Number(sides[LAST].summary.counts) || 1;
  const filters = [...Object.values(CLASSES).slice(0, 4).map((title) => [title, title.slice(2)]), ["∅ never trained", "never trained"], ["≠ stale", "stale"], ["∉ not in the program", "not in the program"]];
  const rows = filters.map(([title, name]) => {
    const own = functions.filter(FILTERS.get(name));
    const sum = own.reduce((sum, fn) => sum + sumOf(fn), 0);
    return own.length || name in CLASSES ? [link(title, "functions", name), exact(own.length), [bar(sum, all), " ", decimal((100 * sum) / all)]] : null;
  });
  return table(`Functions${IS_PAIR ? " of B" : ""}`, ["which", "number", "share of counts"], rows.filter(Boolean));
}

/** What changed class, and what only one profile has. */
function changes() {
  const names = Object.keys(CLASSES).slice(0, 4);
  const both = functions.filter((fn) => fn.sides[0] && fn.sides[1]);
  const cell = (from, to) => {
    const number = both.filter((fn) => classOf(fn, 0) === from && classOf(fn, 1) === to).length;
    return number && from !== to ? link(exact(number), "functions", transition(from, to)) : number ? exact(number) : "";
  };
  const only = ["hash changed", "only in A", "only in B"].map((name) => {
    const own = functions.filter(FILTERS.get(name));
    const share = (side) => decimal(own.reduce((sum, fn) => sum + shareOf(fn, side), 0));
    return [link(name, "functions", name), exact(own.length), share(0), share(1)];
  });
  return [
    el("h2", null, "From A to B"),
    table("Functions of both by their class in A and in B", ["in A", ...names.map((name) => `${CLASSES[name]} in B`)], names.map((from) => [mark(from), ...names.map((to) => cell(from, to))])),
    table("Functions of one", ["which", "number", "share of A", "share of B"], only),
  ];
}

function drawOverview() {
  rows = null;
  const notes = [...index.damage.map((line) => `damaged: ${line}`), ...index.notes].map((line) => el("p", { class: "note" }, line));
  const inputs = sides.map((side, i) => el("p", { class: "path" }, `${IS_PAIR ? NAMES[i] + ": " : ""}${side.input}: ${side.formats.join(", ")}; ${side.kind}`));
  part("main").replaceChildren(el("div", { class: "overview" },
    el("h1", null, "Profile"), inputs, verdicts(), notes, el("div", { class: "pair" }, totals(), classTable()),
    IS_PAIR ? changes() : null,
    sources(),
    el("h2", null, "Hot and cold"), curve(), el("details", null, el("summary", null, "Numbers of the curve"), cutoffs())));
}

/** Returns the name of a value: of a size, its range. */
function valueName({ value, last }) {
  if (last === undefined) return numberOf.has(value) ? link(value, "function", numberOf.get(value)) : value;
  return last === null ? `${value} bytes or more` : String(last) === value ? `${value} bytes` : `${value} to ${last} bytes`;
}

function siteRow(site) {
  const of = Number(site.counts) || 1;
  const values = el("ul", { class: "values" });
  fill(values, site.values.map((value) => () => el("li", null, bar(Number(value.count), of), el("span", { class: "percent" }, decimal((100 * Number(value.count)) / of)), ` ${exact(value.count)} `, el("code", null, valueName(value)))), 5);
  return [`${site.kind} ${site.site}`, exact(site.counts), values];
}

const siteTable = (caption, sites) => table(caption, ["site", "counts", "values"], sites.map(siteRow));

/** Returns the sites that call a function, by what they call it most. */
function callers(fn) {
  const calls = data.targets.flatMap((site) => site.values.filter(({ value }) => value === fn.name).map(({ count }) => [site, count]));
  return calls.sort(([, one], [, other]) => (one < other ? 1 : -1)).map(([site, count]) => [link(site.function, "function", numberOf.get(site.function)), `${site.kind} ${site.site}`, exact(count)]);
}

const numberOf = new Map(functions.map((fn) => [fn.name, fn.number]));

function drawSites(title, sites) {
  rows = null;
  const list = el("ul", { class: "lines" });
  const draw = (words) => {
    const found = sites.filter((site) => words.every((word) => [site.function, ...site.values.map(({ value }) => value)].some((text) => text.toLowerCase().includes(word))));
    list.replaceChildren();
    fill(list, found.map((site) => () => el("li", null, siteTable(link(site.function, "function", numberOf.get(site.function)), [site]))), 50);
    say(`${exact(found.length)} sites`);
  };
  const search = el("input", { type: "search", id: "search", placeholder: "Search sites", "aria-label": "Search sites", autocomplete: "off", spellcheck: "false", input: (event) => draw(wordsOf(event.target.value)) });
  part("main").replaceChildren(el("div", { class: "overview sites" }, el("h1", null, title), el("div", { class: "tools" }, search), list));
  draw([]);
}

/** What the address names: the title, and how it is drawn. */
const VIEWS = {
  "": ["Overview", drawOverview],
  functions: ["Functions", drawFunctions],
  calls: ["Call targets", () => drawSites("Call targets", data.targets)],
  memory: ["Memory sizes", () => drawSites("Memory sizes", data.memory)],
  ...(index.inputs.length ? { inputs: ["Inputs", drawInputs] } : {}),
  function: [null, drawFunction],
};

function open() {
  const [name, ...rest] = location.hash.slice(1).split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; /* Somebody has typed it. */ } });
  const [title, draw] = VIEWS[name] ?? VIEWS[""];
  const inside = name === "function" ? "functions" : name;
  part("views").replaceChildren(...Object.entries(VIEWS).filter(([, [title]]) => title).map(([name, [title]]) => el("a", { href: "#" + name, "aria-current": name === inside ? "page" : null }, title)));
  document.title = `${title ?? functions[rest[0]]?.name ?? "Function"} – Profile`;
  draw(...rest);
  part("main").scrollTop = 0;
  part("main").focus({ preventScroll: true });
}

window.addEventListener("hashchange", open);
open();
