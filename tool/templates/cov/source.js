// The lines of a file: drawn in chunks when they come near, so that a file of any length opens at once.

/** Lines of a chunk; files of fewer lines than `WHOLE` are drawn whole when there is time, so that the browser's search finds everything. */
const CHUNK = 100, WHOLE = 4000;

/** The height of a line before it is drawn: that of a target that fingers find. */
const HEIGHT = 24;

/** Lines around what is shown when what ran is hidden. */
const CONTEXT = 3;

const MARKS = [["", ""], ["", ""], ["◐", "partly ran"], ["✗", "did not run"], ["∅", "excluded"]];

/** Returns a sign with its meaning, which is read out. */
const marked = (name, sign, meaning) => el("span", { class: name, title: meaning }, sign, sign ? el("span", { class: "unseen-text" }, meaning) : null);

/** A view of a file. `show`: "all", "missing" or "lost". */
class Source {
  constructor(file) {
    Object.assign(this, { file, all: file, open: new Set(), show: "all", at: 0, choices: new Map() });
    file.starts = new Set(file.functions.map((fn) => fn.line));
    file.ends = endsOf(file);
    this.element = el("div", { class: "source" + (file.categories ? " compared" : "") });
    this.observer = new IntersectionObserver((entries) => this.seen(entries), { root: part("main"), rootMargin: "1200px" });
    this.draw();
  }

  close() {
    this.observer.disconnect();
    this.isClosed = true;
  }

  /** Returns whether a line is shown though what ran is hidden. */
  isKept(line) {
    const { states, categories } = this.file;
    if (this.show === "lost") return index.categories[categories?.[line]] === "LBC";
    return states[line] === NOT_RUN || states[line] === PARTLY;
  }

  /** Makes the rows: lines, and gaps between them. */
  rows() {
    const rows = [];
    if (this.show === "all") {
      for (let line = 1; line <= this.file.last; line++) rows.push(line);
      return rows;
    }
    let next = 1;
    for (let line = 1; line <= this.file.last; line++) {
      if (!this.isKept(line)) continue;
      const first = Math.max(next, line - CONTEXT);
      if (first > next) rows.push({ first: next, last: first - 1 });
      for (next = first; next <= Math.min(line + CONTEXT, this.file.last); next++) rows.push(next);
    }
    if (next <= this.file.last) rows.push({ first: next, last: this.file.last });
    return rows;
  }

  draw(rows = this.rows()) {
    this.observer.disconnect();
    this.chunks = [];
    for (let from = 0; from < rows.length; from += CHUNK) {
      const chunk = { rows: rows.slice(from, from + CHUNK), element: el("div", { class: "chunk" }), isFull: false, number: this.chunks.length };
      chunk.element.style.height = chunk.rows.length * HEIGHT + "px";
      chunk.element.chunk = chunk;
      this.chunks.push(chunk);
    }
    this.lines = rows;
    if (this.chunks.length) this.fill(this.chunks[0]);
    this.element.replaceChildren(...this.chunks.map((chunk) => chunk.element));
    this.chunks.forEach((chunk) => this.observer.observe(chunk.element));
    if (this.file.last < WHOLE) this.whenIdle(1);
  }

  whenIdle(number) {
    const chunk = this.chunks[number];
    if (!chunk || this.isClosed) return;
    (window.requestIdleCallback ?? setTimeout)(() => {
      if (this.chunks[number] !== chunk) return;
      if (!chunk.isFull) this.fill(chunk);
      this.whenIdle(number + 1);
    });
  }

  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.chunk.isFull) this.fill(target.chunk);
      if (!isIntersecting && target.chunk.isFull && this.file.last >= WHOLE) {
        target.style.height = target.offsetHeight + "px";
        target.replaceChildren();
        target.chunk.isFull = false;
      }
    }
  }

  fill(chunk) {
    const { file } = this;
    chunk.isFull = true;
    const rows = [];
    for (let i = 0; i < chunk.rows.length; ) {
      if (typeof chunk.rows[i] === "object") {
        rows.push(this.gap(chunk.rows[i++]));
        continue;
      }
      let end = i + 1;
      while (chunk.rows[end] === chunk.rows[end - 1] + 1) end++;
      const first = chunk.rows[i];
      const texts = file.text ? tokens(file, first, chunk.rows[end - 1]) : [];
      for (; i < end; i++) rows.push(...this.line(chunk.rows[i], texts[chunk.rows[i] - first] ?? []));
    }
    chunk.element.style.height = "";
    chunk.element.replaceChildren(...rows);
  }

  /** Draws chunks again that have these lines. */
  again(first, last = first) {
    for (const chunk of this.chunks) {
      const lines = chunk.rows.filter((row) => typeof row === "number");
      if (chunk.isFull && lines.length && lines[0] <= last && lines.at(-1) >= first) this.fill(chunk);
    }
  }

  gap(gap) {
    const number = gap.last - gap.first + 1;
    const open = () => {
      const place = this.lines.indexOf(gap);
      const lines = Array.from({ length: number }, (_, i) => gap.first + i);
      this.draw([...this.lines.slice(0, place), ...lines, ...this.lines.slice(place + 1)]);
      this.go(gap.first);
    };
    return el("button", { type: "button", class: "gap", click: open }, `⋯ ${many(number, "line")}`);
  }

  line(line, pieces) {
    const { file } = this;
    const [count, state] = [file.counts[line], file.states[line]];
    const [sign, meaning] = MARKS[state];
    const text = count < 0 ? "" : short(count);
    const title = count > 99999 ? exact(count) : null;
    const toggle = () => this.toggle(line);
    const counted = hasDetails(file, line)
      ? el("button", { type: "button", class: "count", title: `${exact(Math.max(count, 0))}; details`, "aria-expanded": String(this.open.has(line)), click: toggle }, text || "⋯")
      : el("span", { class: "count", title }, text);
    const category = file.categories && index.categories[file.categories[line]];
    const chips = missing(file, line);
    const shownChips = chips.slice(0, 2).map(([what, how]) => el("span", { class: "chip", click: toggle }, el("code", null, what), " " + how));
    if (chips.length > 2) shownChips.push(el("span", { class: "chip", click: toggle }, `+${chips.length - 2}`));
    const mark = by(file, line);
    const row = el("div", { class: `line s${state}${test ? [" not-by", " ran-by", " ran-by"][mark] : ""}${category === "LBC" ? " lost" : ""}${line === this.at ? " at" : ""}` },
      el("a", { class: "number", href: address(file.path, line) }, line),
      counted,
      marked("sign", sign, meaning),
      test ? marked("by", ...BY_MARKS[mark]) : null,
      file.categories ? el("abbr", { class: "category", title: MEANINGS[category] }, USUAL.includes(category) ? "" : category) : null,
      el("div", { class: "content" }, el("code", { class: "text" }, lineNodes(pieces, holes(file, line))), shownChips));
    row.line = line;
    const extra = file.starts.has(line) ? this.choosers(line) : [];
    return this.open.has(line) ? [...extra, row, details(file, line)] : [...extra, row];
  }

  /** Returns a chooser for each function with several instantiations that starts on a line. */
  choosers(line) {
    return this.file.functions.filter((fn) => fn.line === line && fn.each.length > 1).map((fn) => {
      const change = (event) => this.choose(fn, Number(event.target.value));
      const own = fn.each.map((instance, i) => el("option", { value: i, selected: this.choices.get(fn) === i }, `${shortened(instance.name, 2)}  ×${short(instance.count)}`));
      const select = el("select", { "aria-label": `Instantiations of ${shortened(fn.name)}`, change }, el("option", { value: -1 }, `all ${fn.each.length} instantiations  ×${short(fn.count)}`), own);
      return el("div", { class: "chooser" }, select);
    });
  }

  choose(fn, number) {
    number < 0 ? this.choices.delete(fn) : this.choices.set(fn, number);
    this.file = this.all;
    for (const [fn, number] of this.choices) this.file = only(this.file, fn, fn.each[number]);
    this.file.ends = endsOf(this.file);
    this.again(fn.line, this.file.last);
    say(number < 0 ? "All instantiations" : fn.each[number].name);
  }

  toggle(line) {
    if (!hasDetails(this.file, line)) return;
    this.open.has(line) ? this.open.delete(line) : this.open.add(line);
    this.again(line);
    this.row(line)?.querySelector(".count").focus({ preventScroll: true });
  }

  row(line) {
    const chunk = this.chunks.find(({ rows }) => rows.includes(line));
    if (!chunk) return null;
    if (!chunk.isFull) this.fill(chunk);
    return [...chunk.element.children].find((row) => row.line === line);
  }

  /** Shows a line, also one that is hidden. */
  go(line) {
    if (line < 1 || line > this.file.last) return;
    if (this.at) this.row(this.at)?.classList.remove("at");
    this.at = line;
    if (!this.row(line)) {
      this.show = "all";
      this.draw();
    }
    const row = this.row(line);
    row.classList.add("at");
    row.querySelector("a.number").focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  }

  /** Returns the next line after `from`, or before it, that begins something wanted; 0: there is none. */
  find(isWanted, from, step) {
    for (let line = from + step; line >= 1 && line <= this.file.last; line += step) if (isWanted(line) && !isWanted.isRun?.(line - 1)) return line;
    return 0;
  }
}
