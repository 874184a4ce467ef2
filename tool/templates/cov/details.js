// What is known of a line beyond its count. Each section returns elements for a line.

const SIDES = ["true", "false"];

/** Returns the name of a branch: its text, or the macro that it is in. */
function branchName(file, { range, macro }) {
  return macro ? [el("code", null, excerpt(file, range)), ` in ${macro[0].slice(macro[0].lastIndexOf("/") + 1)}:${macro[1]}`] : el("code", null, excerpt(file, range));
}

function side(count) {
  if (!isSide(count)) return "never can be";
  return count ? exact(count) : el("strong", { class: "never" }, "✗ never");
}

function branchTable(file, line) {
  const rows = file.branches.at(line).map((branch) => [branchName(file, branch), ...branch.counts.map(side)]);
  return rows.length ? [table("Branches", ["condition", ...SIDES], rows)] : [];
}

function decisionTables(file, line) {
  return (file.decisions.get(line) ?? []).map(({ range, shown, conditions = [], vectors = [] }) => {
    const names = shown.map((_, i) => "C" + (i + 1));
    const rangeOf = ([line, column, lines, end]) => ({ line, column, last: line + lines, end });
    const rows = shown.map((isShown, i) => {
      const text = conditions[i]?.length ? el("code", null, excerpt(file, rangeOf(conditions[i]))) : "in a macro";
      const state = isShown === null ? "is constant" : isShown ? "✓ decides alone" : el("strong", { class: "never" }, "✗ not shown to decide alone");
      return [names[i], text, state];
    });
    const tests = vectors.map((vector, i) => [String(i + 1), ...vector]);
    const caption = ["MC/DC of ", el("code", null, excerpt(file, range))];
    return el("div", { class: "pair" }, table(caption, ["no.", "condition", "shown"], rows),
      tests.length ? table("Test vectors that ran", ["no.", ...names, "result"], tests) : el("p", null, "No test vector ran."));
  });
}

function regionTable(file, line) {
  const rows = file.regions.at(line).map(({ range, count }) => [el("code", null, excerpt(file, range)), side(count)]);
  return rows.length ? [table("Parts of this line", ["code", "ran"], rows)] : [];
}

function functionsAt(file, line) {
  const rows = file.functions.filter((fn) => fn.line === line).map((fn) => [el("code", { title: fn.name }, shortened(fn.name)), side(fn.count)]);
  return rows.length ? [table("Functions that start here", ["function", "calls"], rows)] : [];
}

/** In the order in which they are shown. */
const SECTIONS = [branchTable, decisionTables, regionTable, functionsAt, testsOf];

const hasDetails = (file, line) => file.branches.has(line) || file.decisions.has(line) || file.regions.has(line) || file.starts.has(line) || file.setOf[line] >= 0;

/** Returns all that is known of a line. */
function details(file, line) {
  return el("div", { class: "details" }, SECTIONS.flatMap((section) => section(file, line)));
}

/** Returns what is missing on a line in words, shortest first. */
function missing(file, line) {
  if (file.states[line] !== PARTLY) return [];
  const branches = file.branches.at(line).flatMap((branch) => SIDES.filter((_, i) => branch.counts[i] === 0).map((name) => [excerpt(file, branch.range, 28), `never ${name}`]));
  const conditions = (file.decisions.get(line) ?? []).flatMap(({ shown }) => shown.filter((isShown) => isShown === false));
  return conditions.length ? [...branches, ["MC/DC", `${conditions.length} not shown`]] : branches;
}
