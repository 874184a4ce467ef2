// The page of a running program: what changes is asked for, and changed in place.

/** Milliseconds before the next question where there was no answer. */
const PAUSE = 1000;

/** The last answer about all files. */
let last = null;

/** Sets how much ran of a file, and of the directories that it is in. */
function setParts(number, numbers) {
  const file = files[number];
  const way = [file];
  let at = tree;
  way.push(at);
  for (const name of file.path.split("/").slice(0, -1)) way.push((at = at.directories.get(name)));
  index.parts.forEach((_, i) => {
    const [covered, count] = file.parts[i];
    for (const { parts } of way) {
      parts[i][0] += numbers[2 * i] - covered;
      parts[i][1] += numbers[2 * i + 1] - count;
    }
  });
}

/** Draws how often functions are called now, where all files are shown. */
function drawCalls() {
  const rows = last.calls.map(([name, number, line, perSecond]) => [
    number === null ? name : el("a", { href: address(files[number].path, line) }, name), perSecond < 10 ? perSecond.toFixed(1) : exact(Math.round(perSecond)),
  ]);
  const now = el("div", { id: "calls" }, rows.length ? table("Called now", ["function", "calls a second"], rows) : el("p", null, "No function is called now."));
  const old = part("calls");
  // A link with the focus stays.
  if (old?.contains(document.activeElement)) return;
  old ? old.replaceWith(now) : part("main").querySelector(".overview .path")?.after(now);
}

/** Shows the counts that a file has now; rows stay where they are. */
function refresh(file) {
  const old = view.all;
  const choices = [...view.choices].map(([fn, i]) => {
    const now = file.functions[old.functions.indexOf(fn)];
    return [now, now?.each.findIndex(({ name }) => name === fn.each[i].name)];
  });
  Object.assign(file, { starts: old.starts, ends: endsOf(file) });
  view.choices = new Map(choices.filter(([now, i]) => now && i >= 0));
  view.all = view.file = file;
  for (const [fn, i] of view.choices) view.file = only(view.file, fn, fn.each[i]);
  view.file.ends = endsOf(view.file);
  for (const chunk of view.chunks) {
    if (!chunk.isFull) continue;
    const rows = [...chunk.element.children].filter((row) => row.line);
    const isOther = ({ line, classList }) => !classList.contains(`s${view.file.states[line]}`) || view.open.has(line);
    if (rows.some(isOther)) view.fill(chunk);
    else for (const row of rows) {
      const count = view.file.counts[row.line];
      if (count >= 0) row.querySelector(".count").textContent = short(count);
    }
  }
  drawMap(document.querySelector("canvas.map"));
  const lists = part("facts");
  // A list with the focus stays.
  if (!lists.contains(document.activeElement)) lists.replaceWith(facts(view.file, lists.querySelector("details")?.open));
}

/** Marks the lines that ran between the last two ticks. */
function drawMoving(moving) {
  const runs = (line) => moving.some(([first, last]) => first <= line && line <= last);
  for (const row of view.element.querySelectorAll(".line")) row.classList.toggle("moving", runs(row.line));
}

/** Marks the lines that have run if no call waits. */
function drawUncertain(lines) {
  for (const row of view.element.querySelectorAll(".line")) {
    const is = lines.includes(row.line);
    row.classList.toggle("uncertain", is);
    if (is) row.querySelector(".count").textContent = "?";
    row.title = is ? "Ran, or a call before it waits: known when the program has ended" : "";
  }
}

/** Asks once: the answer comes with the next tick. Questions after tick 0 are about everything. */
async function poll(isAll = false) {
  const after = isAll ? 0 : asked.after;
  const shown = view;
  const number = isAll ? ++asked.number : asked.number;
  const [sums, source] = await Promise.all([ask({ after }), shown && ask({ after, source: shown.file.number })]);
  // Something else is shown now, and has been asked for.
  if (number !== asked.number) return;
  asked.after = sums.tick;
  last = sums;
  const changed = sums.index ? sums.index.files.map(([, , , numbers], number) => [number, numbers]) : sums.changed;
  const news = changed.filter(([number, numbers]) => files[number].parts.flat().some((part, i) => part !== numbers[i]));
  for (const [number, numbers] of news) setParts(number, numbers);
  index.parts.forEach((name, i) => (totals[i] = [sums.totals[name].covered, sums.totals[name].count]));
  drawSum();
  part("marked").textContent = `${sums.mark ? `mark ${sums.mark}` : sums.marks > 1 ? "no mark" : "start"}; ${many(sums.files, "continuous file")}`;
  if (news.length && !part("tree").contains(document.activeElement)) drawTree();
  if (!view) {
    if (news.length && !part("main").contains(document.activeElement.closest("a, button, summary"))) drawOverview();
    drawCalls();
  } else if (view === shown && source) {
    if (source.file) {
      refresh(unpack(view.file.number, source.file));
      drawUncertain(source.uncertain);
    }
    if (news.some(([number]) => number === view.file.number)) part("main").querySelector(".parts").replaceChildren(...headParts(files[view.file.number]));
    drawMoving(source.moving);
  }
}

/** Sets a mark; from then on only what runs after it is shown. */
async function setMark() {
  const said = await send("mark", { name: part("mark-name").value }, "POST");
  part("since").checked = asked.isSinceMark = true;
  await poll(true);
  say(said || "The mark is set.");
}

/** Does something, and shows what goes wrong. */
async function tried(work) {
  try {
    await work();
    part("trouble").textContent = "";
    return true;
  } catch (error) {
    part("trouble").textContent = error instanceof TypeError ? "profrt live has ended." : error.message;
  }
}

document.title = "Live coverage";
part("sum").after(
  el("span", { id: "marked" }),
  el("input", { type: "search", id: "mark-name", placeholder: "Name of the mark", "aria-label": "Name of the mark", autocomplete: "off", spellcheck: "false" }),
  el("button", { type: "button", id: "mark", click: () => tried(setMark) }, "Mark"),
  el("label", null, el("input", { type: "checkbox", id: "since", change: (event) => { asked.isSinceMark = event.target.checked; tried(() => poll(true)); } }), "since the mark only"),
  el("strong", { id: "trouble", class: "never", role: "status" }));

for (;;) {
  if (!(await tried(poll))) await new Promise((done) => setTimeout(done, PAUSE));
}
