// What the page knows: the index, and what is read from the block. `tool/src/profile_page` writes them.

/** Keeps whole numbers exact that are too large for a number. */
const exactly = (_, value, context) => (Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? BigInt(context.source) : value);

const index = JSON.parse(part("index").textContent, exactly);
const data = await inBlock(0, exactly);

const sides = index.sides;

/** The number of the last profile, which programs are compared with. */
const LAST = sides.length - 1;

const IS_PAIR = LAST > 0;
const NAMES = IS_PAIR ? ["A", "B"] : ["profile"];

/** How hot functions are: a sign, and a name. */
const CLASSES = { hot: "▲ hot", warm: "◆ warm", cold: "▽ cold", "never-ran": "○ never ran", "no-record": "∅ no record" };

const functions = data.functions.map(({ place, ...fn }, number) => ({ ...fn, number, path: place ? data.paths[place[0]] : null, line: place?.[1] }));

const classOf = (fn, side = LAST) => fn.sides[side]?.[3] ?? "no-record";
const sumOf = (fn, side = LAST) => Number(fn.sides[side]?.[2] ?? 0);
const shareOf = (fn, side = LAST) => (100 * sumOf(fn, side)) / (Number(sides[side].summary.counts) || 1);

/** Symbols that each profile has. */
const symbols = sides.map((_, side) => new Set(functions.filter((fn) => fn.sides[side]).map((fn) => fn.symbol)));

/** Returns what has become of a function from A to B. */
function change(fn) {
  if (!IS_PAIR || !(fn.sides[0] || fn.sides[1])) return "";
  if (fn.sides[0] && fn.sides[1]) return classOf(fn, 0) === classOf(fn, 1) ? "" : "class changed";
  const side = fn.sides[0] ? 0 : 1;
  return symbols[1 - side].has(fn.symbol) ? "hash changed" : `only in ${NAMES[side]}`;
}

/** The number of records of each name. A function has one with and one without its callers. */
const records = new Map();
const recordOf = (fn) => `${fn.context_sensitive} ${fn.symbol}`;
for (const fn of functions) if (fn.symbol && fn.sides[LAST]) records.set(recordOf(fn), 1 + (records.get(recordOf(fn)) ?? 0));

/** Filters of functions by their names. */
const FILTERS = new Map([
  ["all", () => true],
  ...Object.entries(CLASSES).map(([name, title]) => [title.slice(2), (fn) => classOf(fn) === name]),
  ["never trained", (fn) => fn.state !== "not in the program" && ["never-ran", "no-record"].includes(classOf(fn)) && (fn.sides[LAST] || fn.state)],
  ["stale", (fn) => fn.state === "stale"],
  ["hot, stale", (fn) => fn.state === "stale" && classOf(fn) === "hot"],
  ["ambiguous name", (fn) => fn.sides[LAST] && records.get(recordOf(fn)) > 1],
  ["not in the program", (fn) => fn.state === "not in the program"],
  ...(IS_PAIR ? ["class changed", "hash changed", "only in A", "only in B"].map((name) => [name, (fn) => change(fn) === name]) : []),
]);

/** Returns the name of the filter for functions that were of one class and are of another; it is one from then on. */
function transition(from, to) {
  const name = `${from} → ${to}`;
  FILTERS.set(name, (fn) => fn.sides[0] && fn.sides[1] && classOf(fn, 0) === from && classOf(fn, 1) === to);
  return name;
}

/** The directories that all sources are in. */
const ROOT = data.paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1)).reduce((root, other) => {
  while (!other.startsWith(root)) root = root.slice(0, root.lastIndexOf("/", root.length - 2) + 1);
  return root;
}, data.paths[0]?.slice(0, data.paths[0].lastIndexOf("/") + 1) ?? "");

const brief = (path) => (path.startsWith(ROOT) ? path.slice(ROOT.length) : path);

const decimal = (share) => (share > 0 && share < 0.01 ? "< 0.01" : share.toFixed(2)) + " %";

const address = (...parts) => "#" + parts.map(encodeURIComponent).join("/");

const link = (text, ...parts) => el("a", { href: address(...parts) }, text);

/** Returns the sign and the name of a class. */
const mark = (name) => el("span", { class: `class ${name}` }, CLASSES[name]);

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
