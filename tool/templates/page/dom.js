// Makes elements. Whatever comes from a program or a source becomes a text node or the value of an attribute, never markup.

/** Characters that are not seen, or that change the direction of others: shown by their numbers. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Returns a text as nodes. */
function shown(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(UNSEEN)) {
    const number = "U+" + found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    const mark = document.createElement("span");
    mark.className = "unseen";
    mark.textContent = number;
    nodes.push(text.slice(end, found.index), mark);
    end = found.index + 1;
  }
  nodes.push(end ? text.slice(end) : text);
  return nodes;
}

/** Makes an element. Attributes that are null or false are left out; functions are called at events of their names. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(2)) {
    if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(...shown(String(child)));
  }
  return element;
}

/** Returns the element of the shell with this id. */
const part = (id) => document.getElementById(id);

const GROUPED = new Intl.NumberFormat("en-US");

/** Returns a number with groups of digits. */
const exact = (number) => GROUPED.format(number);

/** Returns a number of things. */
const many = (number, noun) => `${exact(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Returns a number in at most five characters. */
function short(number) {
  if (number < 1e5) return String(number);
  const unit = Math.min(Math.floor(Math.log10(number) / 3), 6);
  const scaled = number / 1000 ** unit;
  return (scaled < 100 ? scaled.toFixed(1) : Math.floor(scaled)) + ["", "k", "M", "G", "T", "P", "E"][unit];
}

/** Returns how much of something ran, in percent; only all of it is 100. */
function percent(covered, count) {
  if (count === 0) return "–";
  const share = Math.floor((covered / count) * 1000) / 10;
  return (covered === count ? "100" : share.toFixed(1)) + " %";
}

/** Returns a bar of a share. The number is next to it. */
function bar(part, all, level = "") {
  const full = el("span", { class: "full" });
  full.style.width = (all ? (100 * part) / all : 0) + "%";
  return el("span", { class: `bar ${level}`, "aria-hidden": "true" }, full);
}

/** Returns the name of a function with "…" for template arguments that are nested so deep: what it is called is seen then. */
function shortened(name, most = 1) {
  // The type of a method in Rust begins with a bracket of its own.
  let depth = name.startsWith("<") ? -1 : 0, out = "";
  for (const [token] of name.matchAll(/operator ?(?:<=>|<<=?|>>=?|->|[<>]=?)|[-=]>|./gsu)) {
    if (token === ">") depth--;
    if (depth < most) out += token;
    if (token === "<" && ++depth === most) out += "…";
  }
  return out;
}

/** Says something to those who do not see it. */
function say(text) {
  part("said").textContent = text;
}

/** Returns a table. The first cell of a row is its head. Columns of numbers are aligned at the right. */
function table(caption, heads, rows) {
  const isNumber = (cell) => /^[\d,.–<≈+− %]*$|never$/.test(cell?.textContent ?? cell);
  const kinds = heads.map((_, i) => (i && rows.every((row) => isNumber(row[i])) ? "amount" : null));
  const head = el("tr", null, heads.map((name, i) => el("th", { scope: "col", class: kinds[i] }, name)));
  const body = rows.map(([first, ...cells]) => el("tr", null, el("th", { scope: "row" }, first), cells.map((cell, i) => el("td", { class: kinds[i + 1] }, cell))));
  return el("table", null, el("caption", null, caption), el("thead", null, head), el("tbody", null, body));
}

/** Draws a part of a list, and a button for the rest. */
function fill(list, makers, rows = 200, from = 0) {
  const more = makers.length - from - rows;
  list.append(...makers.slice(from, from + rows).map((make) => make()));
  if (more > 0) {
    const item = el("li", null, el("button", { type: "button", class: "more", click: () => { item.remove(); fill(list, makers, rows, from + rows); } }, `${exact(more)} more`));
    list.append(item);
  }
}

part("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.style.colorScheme = isDark ? "light" : "dark";
});
