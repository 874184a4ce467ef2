// What is shown where no file is open: all files together, where most is missing, the baseline, and the functions not counted.

/** Rows of "where most is missing". */
const WORST = 15;

const shareOf = (covered, count) => [ranBar(covered, count), el("span", { class: "percent" }, " " + percent(covered, count))];

function sums() {
  const isExcluded = index.parts.some((name) => index.excluded[name]?.count);
  const rows = index.parts.map((name, i) => {
    const [covered, count] = totals[i];
    const excluded = index.excluded[name]?.count;
    const note = excluded ? `${exact(excluded)} (${exact(index.excluded[name].covered)} ran)` : "";
    return count || excluded ? [name === "mcdc" ? "MC/DC conditions" : name, shareOf(covered, count), exact(covered), exact(count - covered), ...(isExcluded ? [note] : [])] : null;
  });
  return table(index.is_change ? "Lines of the change" : "All files", ["what", "share", "ran", "did not run", ...(isExcluded ? ["excluded"] : [])], rows.filter(Boolean));
}

function worst() {
  const part = index.parts.indexOf("lines");
  const missing = ({ parts }) => parts[part][1] - parts[part][0];
  const most = files.filter((file) => missing(file) > 0).sort((one, other) => missing(other) - missing(one)).slice(0, WORST);
  if (!most.length) return el("p", null, "Every line ran.");
  const rows = most.map((file) => [el("a", { href: address(file.path) }, file.path), shareOf(...file.parts[part]), exact(missing(file))]);
  return table("Files with the most uncovered lines", ["file", "share", "lines"], rows);
}

const MEANINGS = {
  UNC: "new, does not run", LBC: "lost: ran before", UIC: "not in the baseline, does not run", UBC: "did not run before either",
  GBC: "gained: did not run before", GIC: "not in the baseline, runs", GNC: "new, runs", CBC: "ran before too",
  EUB: "excluded now, did not run before", ECB: "excluded now, ran before", DUB: "deleted, did not run before", DCB: "deleted, ran before",
};

/** What ran before and runs now, or neither, or is excluded: nothing that a reader looks for. */
const USUAL = ["CBC", "UBC", "ECB", "EUB"];

function compared() {
  const kinds = ["lines", "branches", "functions"];
  const rows = index.categories.filter((name) => kinds.some((kind) => index.baseline[kind][name])).map((name) => [el("abbr", { title: MEANINGS[name] }, name), MEANINGS[name], ...kinds.map((kind) => exact(index.baseline[kind][name] ?? 0))]);
  return table("Compared with the baseline", ["category", "is", ...kinds], rows);
}

function leftOut({ class: name, what, cause, remedy, names, number }) {
  const list = names.map(([hash, name]) => el("li", null, el("code", null, name), ` ${hash}`));
  const more = number > names.length ? el("li", null, `${exact(number - names.length)} more: --explain lists them`) : null;
  return el("details", null, el("summary", null, `${name}: ${exact(number)} ${what}`), el("p", null, `${cause}. Remedy: ${remedy}.`), el("ul", null, list, more));
}

const KEYS = [
  ["n p", "next, previous code that did not run; goes on in the next file"],
  ["b v", "next, previous branch with a side that never ran"],
  ["l", "next line that was lost", index.baseline],
  ["t", "tests: choose one", index.tests],
  ["r", "next line that the chosen test ran", index.tests],
  ["d", "details of the line: branches, MC/DC, regions"],
  ["f", "hide what ran, show all"],
  ["i", "functions of the file"],
  ["[ ]", "previous, next file"],
  ["/", "search files"],
  ["o", "overview of all files"],
  ["?", "this list"],
];

function keysTable() {
  return table("Keyboard shortcuts", ["key", "does"], KEYS.filter((key) => key.length < 3 || key[2]).map(([keys, does]) => [keys.split(" ").flatMap((key) => [el("kbd", null, key), " "]), does]));
}

/** What the page is of, and what the colors of bars mean. */
function made() {
  const { revision, day } = index;
  const facts = [ROOT, revision && `revision ${revision}`, day && `made on ${new Date(day * 864e5).toISOString().slice(0, 10)}`];
  const colors = [["low", `below ${LIMITS.low} %`], ["medium", `below ${LIMITS.medium} %`], ["high", `${LIMITS.medium} % or more`]];
  return el("div", { class: "path" }, el("p", null, facts.filter(Boolean).join(", ")), el("p", { class: "legend" }, colors.map(([level, name]) => el("span", null, bar(1, 1, level), ` ${name}`))));
}

/** Draws it. */
function drawOverview() {
  const parts = [el("h1", null, `Coverage of ${PROJECT}`), made(), ...(index.notes ?? []).map((note) => el("p", { class: "note" }, `Note: ${note}.`)), sums(), worst()];
  if (index.baseline) parts.push(compared());
  if (index.left_out.length) parts.push(el("h2", null, "Functions not counted"), ...index.left_out.map(leftOut));
  part("main").replaceChildren(el("div", { class: "overview" }, parts));
}
