// What the page knows: the index, and the data of files, which are loaded when they are needed. `tool/src/cov/html/file.rs` packs them.

const index = JSON.parse(part("index").textContent);

/** The directories that all files are in. */
const ROOT = common(index.files.map(([path]) => path.slice(0, path.lastIndexOf("/") + 1)));

/** What is reported on: the name of its directory. */
const PROJECT = (index.project ?? ROOT).split("/").filter(Boolean).at(-1) ?? "all files";

/** All files, in the order of their paths. `parts[i]` is how much ran and how much there is of `index.parts[i]`. */
const files = index.files.map(([path, lost, block, numbers], number) => ({
  number, block, lost,
  path: path.slice(ROOT.length),
  name: path.slice(path.lastIndexOf("/") + 1),
  parts: index.parts.map((_, i) => [numbers[2 * i], numbers[2 * i + 1]]),
}));

const numberOf = new Map(files.map((file) => [file.path, file.number]));

const totals = index.parts.map((name) => [index.totals[name].covered, index.totals[name].count]);

/** Below which shares in percent a bar is red, and yellow: the limits of gcovr. */
const LIMITS = { low: 75, medium: 90 };

/** Returns a bar of how much ran, in the color of its share. */
const ranBar = (covered, count) => bar(covered, count, Object.keys(LIMITS).find((name) => 100 * covered < LIMITS[name] * count) ?? "high");

/** States of lines. */
const NO_CODE = 0, RAN = 1, PARTLY = 2, NOT_RUN = 3, EXCLUDED = 4;

function common(directories) {
  let [first = ""] = directories;
  for (const other of directories) while (!other.startsWith(first)) first = first.slice(0, first.lastIndexOf("/", first.length - 2) + 1);
  return first;
}

/** Calls `each` for the lines of runs. */
function runs(flat, each) {
  let line = 1;
  for (let i = 0; i < flat.length; i += 3) {
    line += flat[i];
    for (const end = line + flat[i + 1]; line < end; line++) each(line, flat[i + 2]);
  }
}

/** What is packed in groups of `width` numbers, which begin with a range, by lines. Objects are made of what is looked at only. */
class Ranges {
  constructor(flat = [], width, make) {
    Object.assign(this, { flat, width, make, places: new Map(), other: null });
    let line = 0;
    for (let i = 0; i < flat.length; i += width) {
      line += flat[i];
      if (flat[i] > 0 || i === 0) this.places.set(line, i);
    }
  }

  has(line) {
    return this.other?.has(line) ? this.other.get(line).has(line) : this.places.has(line);
  }

  /** Returns those that start on a line. */
  at(line) {
    if (this.other?.has(line)) return this.other.get(line).at(line);
    const list = [];
    const { flat, width } = this;
    for (let i = this.places.get(line) ?? flat.length; i < flat.length && (list.length === 0 || flat[i] === 0); i += width) {
      list.push({ range: { line, column: flat[i + 1], last: line + flat[i + 2], end: flat[i + 3] }, ...this.make(i + 4) });
    }
    return list;
  }

  /** Calls `each` with the line and the place of each; there `flat` has it. */
  each(each) {
    let line = 0;
    for (let i = 0; i < this.flat.length; i += this.width) each((line += this.flat[i]), i);
  }

  /** Returns the same with what `others` has on some lines: those are ranges by their lines. */
  with(others) {
    return Object.assign(new Ranges([], this.width, this.make), { flat: this.flat, places: this.places, other: new Map([...(this.other ?? []), ...others]) });
  }
}

/** Unpacks what is inside of lines. */
function pieces({ regions = [], branches = [] }, macros) {
  return {
    regions: new Ranges(regions, 5, (i) => ({ count: regions[i] })),
    branches: new Ranges(branches, 7, (i) => ({ counts: [branches[i], branches[i + 1]], macro: macros[branches[i + 2] - 1] })),
  };
}

const isSide = (count) => count !== null;

/** Sets the state of each line by the counts. */
function judge(file) {
  const { counts, states, regions, branches } = file;
  for (let line = 1; line < counts.length; line++) states[line] = counts[line] < 0 ? NO_CODE : counts[line] ? RAN : NOT_RUN;
  for (const line of file.excluded.keys()) states[line] = EXCLUDED;
  const misses = (line) => { if (states[line] === RAN) states[line] = PARTLY; };
  regions.each((line, i) => regions.flat[i + 4] === 0 && !regions.other?.has(line) && misses(line));
  branches.each((line, i) => (branches.flat[i + 4] === 0 || branches.flat[i + 5] === 0) && !branches.other?.has(line) && misses(line));
  for (const line of regions.other?.keys() ?? []) if (regions.at(line).some(({ count }) => count === 0)) misses(line);
  for (const line of branches.other?.keys() ?? []) if (branches.at(line).some(({ counts }) => counts.includes(0))) misses(line);
}

/** Unpacks the data of a file. */
function unpack(number, packed) {
  const text = packed.source?.split("\n");
  if (text?.at(-1) === "") text.pop();
  let last = text?.length ?? 0;
  for (const flat of [packed.lines, packed.excluded ?? []]) runs(flat, (line) => (last = Math.max(last, line)));
  const macros = packed.macros ?? [];
  const file = {
    ...files[number], text, last, macros,
    counts: new Float64Array(last + 1).fill(-1),
    states: new Uint8Array(last + 1),
    excluded: new Map(),
    sets: packed.tests?.sets ?? [],
    setOf: new Int32Array(last + 1).fill(-1),
    categories: packed.categories ? new Uint8Array(last + 1).fill(255) : null,
    ...pieces(packed, macros),
    decisions: new Map(),
    functions: [],
  };
  runs(packed.lines, (line, count) => (file.counts[line] = count));
  runs(packed.excluded ?? [], (line, ran) => file.excluded.set(line, ran));
  runs(packed.tests?.lines ?? [], (line, set) => (file.setOf[line] = set));
  runs(packed.categories ?? [], (line, category) => (file.categories[line] = category));
  for (const { range: [line, column, lines, end], ...decision } of packed.decisions ?? []) {
    if (!file.decisions.has(line)) file.decisions.set(line, []);
    file.decisions.get(line).push({ range: { line, column, last: line + lines, end }, ...decision });
  }
  let line = 0;
  for (const [name, skipped, lines, count, each = []] of packed.functions) {
    line += skipped;
    file.functions.push({ name, line, last: line + lines, count, each });
  }
  judge(file);
  return file;
}

/** Returns the file as one instantiation of a function has it: in lines that any of them has, only what this one says. */
function only(file, fn, instance) {
  const { regions, branches } = pieces(instance, file.macros);
  const view = { ...file, counts: file.counts.slice(), states: file.states.slice() };
  const lines = [];
  for (const { lines: flat } of fn.each) {
    runs(flat, (line) => {
      if (line > file.last || file.counts[line] < 0) return;
      view.counts[line] = -1;
      lines.push(line);
    });
  }
  view.regions = file.regions.with(lines.map((line) => [line, regions]));
  view.branches = file.branches.with(lines.map((line) => [line, branches]));
  runs(instance.lines, (line, count) => {
    if (line <= file.last && file.counts[line] >= 0) view.counts[line] = count;
  });
  judge(view);
  return view;
}
