// How few counters have most of all counts, with the limits of hot and cold.

const SIZE = { width: 720, height: 260, left: 46, right: 14, top: 30, bottom: 34 };

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The rows of the summary that make hot and cold. */
const rowOf = (limits, cutoff) => limits.cutoffs.find(([of]) => of >= cutoff) ?? [cutoff, 0, 0];

function curve() {
  const most = Math.max(2, ...sides.map(({ curve }) => curve.at(-1)?.[0] ?? 0));
  const { width, height, left, right, top, bottom } = SIZE;
  const x = (number) => left + (Math.log(Math.max(1, number)) / Math.log(most)) * (width - left - right);
  const y = (share) => top + (1 - share / 100) * (height - top - bottom);
  const parts = [];
  const text = (at, down, anchor, what) => parts.push(svg("text", { x: at, y: down, "text-anchor": anchor }, what));
  for (const share of [0, 25, 50, 75, 100]) {
    parts.push(svg("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "grid" }));
    text(left - 6, y(share) + 4, "end", `${share} %`);
  }
  for (let number = 1; number <= most; number *= 10) text(x(number), height - bottom + 16, "middle", short(number));
  text((left + width) / 2, height - 3, "middle", "largest counters");
  const [, , hot] = rowOf(sides[LAST].limits, 990000), [, , cold] = rowOf(sides[LAST].limits, 999999);
  for (const [number, name, anchor, gap] of [[hot, "◂ hot", "end", -4], [cold, "cold ▸", "start", 4]]) {
    if (!number) continue;
    parts.push(svg("line", { x1: x(number), x2: x(number), y1: top - 8, y2: height - bottom, class: "limit" }));
    const isEdge = anchor === "start" && x(number) > width - 60;
    text(x(number) + (isEdge ? 0 : gap), top - 12, isEdge ? "end" : anchor, name);
  }
  sides.forEach(({ curve }, side) => {
    const points = curve.map(([number, share]) => `${x(number).toFixed(1)},${y(share).toFixed(1)}`);
    parts.push(svg("polyline", { points: points.join(" "), class: `curve side-${LAST - side}` }));
  });
  const said = `${exact(hot)} counters have 99 % of all counts; ${exact(cold)} have 99.9999 %.` + (IS_PAIR ? " B is solid, A dashed." : "");
  return el("figure", null, el("figcaption", null, said), svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share of all counts by the number of largest counters; the table of shares has its numbers" }, ...parts));
}

/** Returns the rows of LLVM's detailed summary. */
function cutoffs() {
  const percents = ([cutoff]) => `${cutoff / 10000} %`;
  const names = { 990000: "▲ hot from", 999999: "▽ cold to" };
  const rows = sides[LAST].limits.cutoffs.map((row, i) => {
    const [cutoff] = row;
    return [percents(row), ...sides.flatMap(({ limits }) => [exact(limits.cutoffs[i]?.[1] ?? 0), exact(limits.cutoffs[i]?.[2] ?? 0)]), names[cutoff] ?? ""];
  });
  return table("Share of all counts", ["share", ...NAMES.flatMap((name) => [`smallest counter${IS_PAIR ? " in " + name : ""}`, `counters${IS_PAIR ? " in " + name : ""}`]), "limit"], rows);
}
