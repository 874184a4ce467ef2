// Directories and files, as large as their shares of all counts.

/** A file is a link if it is so large, and else only drawn: the list of files below has it. */
const LEAST = { width: 40, height: 24 };

/** Returns the files with what their functions have, largest first. */
function files() {
  const all = new Map();
  for (const fn of functions) {
    const path = fn.path ?? "";
    if (!all.has(path)) all.set(path, { path, size: 0, functions: 0, up: 0, down: 0, classes: {} });
    const file = all.get(path);
    file.size += sumOf(fn);
    file.functions++;
    file.classes[classOf(fn)] = (file.classes[classOf(fn)] ?? 0) + 1;
    if (change(fn) !== "class changed") continue;
    const [from, to] = [0, LAST].map((side) => Object.keys(CLASSES).indexOf(classOf(fn, side)));
    file[from > to ? "up" : "down"]++;
  }
  return [...all.values()].sort((one, other) => other.size - one.size);
}

const hottest = (file) => Object.keys(CLASSES).find((name) => file.classes[name]);

/** What has become of the classes of a file's functions from A to B: a sign, and a name. */
const MOVES = { hotter: "▲ some hotter", colder: "▽ some colder", both: "◆ some hotter, some colder", same: "= none changed" };
const moveOf = ({ up, down }) => (up && down ? "both" : up ? "hotter" : down ? "colder" : "same");

const shareOfFile = (file) => (100 * file.size) / (Number(sides[LAST].summary.counts) || 1);

/** Returns what the color of a file means, its class and its style: of two profiles what has changed, of one its share. */
function look(file) {
  if (IS_PAIR) return { kind: moveOf(file), sign: MOVES[moveOf(file)][0], meaning: MOVES[moveOf(file)].slice(2) };
  // By the root, so that files of a few percent differ.
  return { kind: "share", sign: decimal(shareOfFile(file)), meaning: CLASSES[hottest(file)].slice(2), heat: `${Math.round(10 * Math.sqrt(shareOfFile(file)))}%` };
}

/** Splits a rectangle among things, which begin with the largest, in rectangles that are as square as may be (Bruls, Huizing and van Wijk). */
function squarify(things, x, y, width, height, place) {
  let rest = things.reduce((sum, { size }) => sum + size, 0);
  for (let i = 0; i < things.length && rest > 0; ) {
    const side = Math.min(width, height), scale = (width * height) / rest;
    if (side < 1) return;
    let [row, worst, end] = [0, Infinity, i];
    for (; end < things.length; end++) {
      const area = (row + things[end].size) * scale;
      const ratio = Math.max((side * side * things[i].size * scale) / (area * area), (area * area) / (side * side * things[end].size * scale));
      if (ratio > worst) break;
      worst = ratio;
      row += things[end].size;
    }
    const thick = (row * scale) / side, isWide = width >= height;
    for (let at = 0; i < end; i++) {
      const length = (things[i].size * scale) / thick;
      if (isWide) place(things[i], x, y + at, thick, length);
      else place(things[i], x + at, y, length, thick);
      at += length;
    }
    if (isWide) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
    rest -= row;
  }
}

/** Puts files into their directories. */
function directories(list) {
  const make = (name) => ({ name, size: 0, inner: new Map() });
  const root = make("");
  for (const file of list) {
    let at = root;
    at.size += file.size;
    for (const name of brief(file.path).split("/").slice(0, -1)) {
      if (!at.inner.has(name)) at.inner.set(name, make(name));
      at = at.inner.get(name);
      at.size += file.size;
    }
    at.inner.set("/" + file.path, { name: file.path.slice(file.path.lastIndexOf("/") + 1), size: file.size, file });
  }
  return root;
}

/** A directory with nothing but another one is shown as one. */
function joined(directory) {
  const [inner, ...more] = directory.inner.values();
  return more.length || !inner?.inner ? directory : joined({ ...inner, name: [directory.name, inner.name].filter(Boolean).join("/") });
}

function drawTreemap(map, root) {
  const put = (element, x, y, width, height) => {
    Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    map.append(element);
  };
  const place = (thing, x, y, width, height) => {
    if (width < 2 || height < 2) return;
    if (thing.inner) {
      thing = joined(thing);
      const head = width > 50 && height > 40 ? 18 : 0;
      put(el("span", { class: "directory" }, head ? thing.name + "/" : ""), x, y, width, height);
      return inside(thing, x + 2, y + head + 1, width - 4, height - head - 3);
    }
    const { file, name } = thing, { kind, sign, meaning, heat } = look(file);
    const title = `${brief(file.path)}: ${decimal(shareOfFile(file))}, ${meaning}`;
    const isLink = width >= LEAST.width && height >= LEAST.height;
    const element = isLink ? el("a", { class: `file ${kind}`, href: address("functions", "all", file.path), title, "aria-label": title }, IS_PAIR ? `${sign} ${name}` : `${name} ${sign}`) : el("span", { class: `file ${kind}`, title, "aria-hidden": "true" });
    if (heat) element.style.setProperty("--heat", heat);
    put(element, x, y, width, height);
  };
  const inside = (directory, ...where) => squarify([...directory.inner.values()].sort((one, other) => other.size - one.size), ...where, place);
  map.replaceChildren();
  inside(root, 0, 0, map.clientWidth, map.clientHeight);
}

function sources() {
  const list = files();
  if (!data.paths.length) return [el("h2", null, "Sources"), el("p", null, "No program with debug info is named, so functions have no sources.")];
  const map = el("div", { class: "treemap", role: "group", "aria-label": "Files by their shares of all counts" });
  const root = joined(directories(list.filter(({ path, size }) => path && size > 0)));
  new ResizeObserver(() => drawTreemap(map, root)).observe(map);
  const moves = Object.entries(MOVES).map(([name, title]) => [el("span", { class: `class ${name}` }, title), " "]);
  const legend = el("p", { class: "legend" }, IS_PAIR ? ["Files by their functions that changed class from A to B: ", ...moves.flat()] : "Files by their shares of all counts: the larger and the redder, the more.");
  const row = (file) => () => el("li", null, el("span", { class: "percent" }, decimal(shareOfFile(file))), " ", mark(hottest(file)), " ", file.path ? link(brief(file.path), "functions", "all", file.path) : "no source", ` ${many(file.functions, "function")}`);
  const lines = el("ul", { class: "lines" });
  fill(lines, list.map(row), 20);
  return [el("h2", null, "Sources"), el("p", { class: "path" }, ROOT), legend, map, lines];
}
