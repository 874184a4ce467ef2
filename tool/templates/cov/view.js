// The open file: its head, its functions, and a map of the whole of it. And which file is open, by the address of the page.

let view = null;

/** What is to be done when a file is open. */
let then = null;

/** Returns the address of a line, with a test: the chosen one, if no other is wanted. */
function address(path, line, name = test?.name ?? null) {
  const at = path.split("/").map(encodeURIComponent).join("/") + (line ? `:${line}` : "");
  return "#" + at + (name === null ? "" : `?test=${encodeURIComponent(name)}`);
}

/** Returns the path, the line and the test of an address. (In a path a colon is written `%3A`, and a question mark `%3F`.) */
function parse(hash) {
  const [, path, line, name] = /^#?(.*?)(?::(\d+))?(?:\?test=(.*))?$/s.exec(hash);
  const plain = (text) => { try { return decodeURIComponent(text); } catch { return text; /* Somebody has typed it. */ } };
  return { path: plain(path), line: Number(line ?? 0), name: name && plain(name) };
}

/** Returns a list with a title. Thousands of rows are made when they are wanted. */
function folded(id, title, isOpen, rows) {
  const list = el("details", { id, open: isOpen }, el("summary", null, title));
  list.addEventListener("toggle", () => list.append(rows()), { once: true });
  return list;
}

function functionTable(file) {
  const name = (fn) => [el("a", { href: address(file.path, fn.line), title: fn.name }, shortened(fn.name)), fn.each.length ? el("small", null, ` ${exact(fn.each.length)} instantiations`) : null];
  return table("Functions", ["name", "calls"], file.functions.map((fn) => [name(fn), fn.count ? exact(fn.count) : el("strong", { class: "never" }, "✗ never")]));
}

/** Returns the runs of lines that did not run: first and last ones. */
function missingRuns({ states, last }) {
  const runs = [];
  for (let line = 1; line <= last; line++) {
    if (states[line] !== NOT_RUN) continue;
    if (states[line - 1] === NOT_RUN) runs.at(-1)[1] = line;
    else runs.push([line, line]);
  }
  return runs;
}

function missingList(file, runs) {
  const list = el("ul");
  const text = (line) => file.text?.[line - 1].trim();
  fill(list, runs.map(([first, last]) => () => el("li", null, el("a", { href: address(file.path, first) }, first === last ? first : `${first}–${last}`), " ", el("code", null, text(first)))));
  return list;
}

/** Returns the lists of the file: beside the source where there is room, else above it. */
function facts(file, isOpen = matchMedia("(min-width: 1400px)").matches) {
  const runs = missingRuns(file), lines = runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const ran = file.functions.filter((fn) => fn.count > 0).length;
  return el("div", { id: "facts" },
    lines ? folded("missing-lines", `Not run: ${many(lines, "line")}`, isOpen, () => missingList(file, runs)) : null,
    file.functions.length ? folded("functions", `Functions: ${exact(ran)} of ${exact(file.functions.length)} ran`, isOpen, () => functionTable(file)) : null);
}

function headParts({ parts }) {
  const known = index.parts.map((name, i) => [name === "mcdc" ? "MC/DC" : name, ...parts[i]]).filter(([, , count]) => count);
  return known.map(([name, covered, count]) => el("span", { class: "part" }, `${name} `, ranBar(covered, count), ` ${percent(covered, count)}`, el("small", null, ` ${exact(covered)}/${exact(count)}`)));
}

function head(file) {
  const options = [["all", "all lines"], ["missing", "what did not run"], ...(index.baseline ? [["lost", "what was lost"]] : [])];
  const show = el("select", { id: "show", "aria-label": "Lines that are shown", change: (event) => showOnly(event.target.value) }, options.map(([value, name]) => el("option", { value }, name)));
  const step = (key, name) => el("button", { type: "button", click: () => press(key) }, name);
  return el("div", { class: "head" },
    el("h1", null, el("small", null, file.path.slice(0, -file.name.length)), file.name),
    el("div", { class: "parts" }, headParts(file)),
    el("div", { class: "tools" }, step("p", "↑ previous"), step("n", "↓ next not run"), step("b", "next branch"), step("d", "details"), index.baseline ? step("l", "next lost") : null, show));
}

function showOnly(which) {
  part("show").value = which;
  view.show = which;
  view.draw();
}

/** Draws where in the file is what did not run. */
function drawMap(canvas) {
  const { states, last } = view.file;
  canvas.height = canvas.clientHeight;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  for (const [state, color] of [[PARTLY, style.borderLeftColor], [NOT_RUN, style.color]]) {
    context.fillStyle = color;
    for (let line = 1; line <= last; line++) {
      if (states[line] !== state) continue;
      const first = line;
      while (states[line + 1] === state) line++;
      const top = ((first - 1) / last) * canvas.height;
      context.fillRect(0, top, canvas.width, Math.max(2, ((line - first + 1) / last) * canvas.height));
    }
  }
}

/** Returns the map, which is drawn anew when its size changes: narrow pages have none. */
function fileMap() {
  const canvas = el("canvas", { class: "map", width: 10, "aria-hidden": "true", click: (event) => view.go(1 + Math.floor((event.offsetY / canvas.clientHeight) * (view.file.last - 1))) });
  new ResizeObserver(() => canvas.clientHeight && view && drawMap(canvas)).observe(canvas);
  return canvas;
}

function drawFile(file) {
  view = new Source(file);
  const note = file.text ? null : el("p", { class: "note" }, "The source cannot be read, so only line numbers are shown; --path-map says where it is.");
  part("main").replaceChildren(head(file), el("div", { class: "body" }, facts(file), el("div", { class: "inner" }, note, view.element), fileMap()));
  showFiles(false);
  part("main").scrollTop = 0;
}

/** Shows that data cannot be loaded, instead of a file. */
function complain(error) {
  view?.close();
  view = null;
  part("main").replaceChildren(el("p", { class: "note", role: "alert" }, error.message));
}

/** Opens what the address names. */
async function open() {
  const wanted = location.hash;
  const { path, line, name } = parse(wanted);
  const chosen = testNumbers.get(name);
  if (chosen !== test?.number) {
    let loaded;
    try { loaded = await loadTest(chosen); } catch (error) { return complain(error); }
    if (location.hash !== wanted) return;
    choose(loaded);
  }
  const number = numberOf.get(path);
  document.title = number === undefined ? "Coverage" : `${path} – Coverage`;
  if (number === undefined || view?.file.number !== number) {
    view?.close();
    view = null;
    follow(number);
    if (number === undefined) return drawOverview();
    try {
      const file = await load(number);
      if (location.hash !== wanted) return;
      drawFile(file);
    } catch (error) {
      return complain(error);
    }
  }
  if (line) view.go(line);
  else part("main").focus({ preventScroll: true });
  part("show").value = view.show;
  const work = then;
  then = null;
  work?.();
}

window.addEventListener("hashchange", open);
window.addEventListener("beforeprint", () => view && view.file.last < 5 * WHOLE && view.chunks.forEach((chunk) => chunk.isFull || view.fill(chunk)));
