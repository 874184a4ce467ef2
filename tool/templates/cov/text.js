// The text of lines: highlighted, and with what did not run inside of them.

const LANGUAGES = {
  c: "c", h: "cpp", cc: "cpp", cpp: "cpp", cxx: "cpp", "c++": "cpp", hh: "cpp", hpp: "cpp", hxx: "cpp", inc: "cpp", inl: "cpp", ipp: "cpp", tcc: "cpp", cu: "cpp", cuh: "cpp",
  m: "objectivec", mm: "objectivec", rs: "rust", swift: "swift", go: "go", kt: "kotlin",
};

const languageOf = (path) => LANGUAGES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];

/** Lines longer than this are not highlighted. */
const LONGEST = 2000;

/** Returns whether the last comment that opens before this line is still open: only it can change what a part of a file means. */
function isInComment(text, first) {
  const has = (line, what) => text[line - 1].lastIndexOf(what);
  for (let line = first - 1; line >= 1 && line > first - 500; line--) {
    const [open, close] = [has(line, "/*"), has(line, "*/")];
    if (open < 0 && close < 0) continue;
    if (close > open) return false;
    // A string may have what opens a comment; then the next comment opens before this one ends.
    for (let next = first; next <= text.length && next < first + 500; next++) {
      const [opens, closes] = [text[next - 1].indexOf("/*"), text[next - 1].indexOf("*/")];
      if (opens >= 0 || closes >= 0) return closes >= 0 && (opens < 0 || closes < opens);
    }
    return false;
  }
  return false;
}

/** Returns lines as pieces: classes and text of each. Highlight.js only finds the tokens; it makes no markup here. */
function tokens(file, first, last) {
  const text = file.text.slice(first - 1, last);
  const language = languageOf(file.path);
  if (!language || text.some((line) => line.length > LONGEST)) return text.map((line) => [["", line]]);
  const prefix = isInComment(file.text, first) ? "/*" : "";
  const { _emitter } = hljs.highlight(prefix + text.join("\n"), { language, ignoreIllegals: true });
  const lines = [[]];
  const walk = (node, scope) => {
    if (typeof node !== "string") return node.children.forEach((child) => walk(child, node.scope ?? scope));
    node.split("\n").forEach((piece, i) => {
      if (i) lines.push([]);
      if (piece) lines.at(-1).push([scope, piece]);
    });
  };
  walk(_emitter.rootNode, "");
  if (prefix && lines[0].length) lines[0][0] = [lines[0][0][0], lines[0][0][1].slice(2)];
  return lines;
}

/** Returns the ranges of columns of a line that ran that did not. */
function holes(file, line) {
  if (file.states[line] !== PARTLY && file.states[line] !== RAN) return [];
  const list = [];
  for (const { range, count } of file.regions.at(line)) if (count === 0) list.push([range.column, range.last === line ? range.end : Infinity]);
  for (const { range } of file.ends.get(line) ?? []) list.push([file.text?.[line - 1].search(/\S/) ?? 0, range.end]);
  return list;
}

/** Returns the regions that did not run by the lines on which they end, if they began on another one. */
function endsOf(file) {
  const ends = new Map();
  const { regions } = file;
  regions.each((line, i) => {
    if (regions.flat[i + 4] !== 0 || regions.flat[i + 2] === 0 || regions.other?.has(line)) return;
    const last = line + regions.flat[i + 2];
    if (!ends.has(last)) ends.set(last, []);
    ends.get(last).push({ range: { line, column: regions.flat[i + 1], last, end: regions.flat[i + 3] } });
  });
  return ends;
}

/** Makes the nodes of a line from its pieces. */
function lineNodes(pieces, holes) {
  const nodes = [];
  let at = 0;
  for (const [scope, text] of pieces) {
    const cuts = new Set([0, text.length]);
    for (const hole of holes) for (const edge of hole) if (edge > at && edge < at + text.length) cuts.add(edge - at);
    const edges = [...cuts].sort((one, other) => one - other);
    for (let i = 0; i + 1 < edges.length; i++) {
      const piece = text.slice(edges[i], edges[i + 1]);
      const isHole = holes.some(([from, to]) => from <= at + edges[i] && at + edges[i] < to);
      const name = [scope && "t-" + scope.split(".")[0].replace(/[^a-z]/g, "-"), isHole && "hole"].filter(Boolean).join(" ");
      nodes.push(name ? el(isHole ? "mark" : "span", { class: name, title: isHole ? "did not run" : null }, piece) : shown(piece));
    }
    at += text.length;
  }
  return nodes;
}

/** Returns the text of a range, shortened. */
function excerpt(file, range, most = 48) {
  if (!file.text) return `line ${range.line}`;
  const first = file.text[range.line - 1] ?? "";
  const text = (range.last === range.line ? first.slice(range.column, range.end) : first.slice(range.column) + " …").trim();
  return text.length > most ? text.slice(0, most - 1) + "…" : text;
}
