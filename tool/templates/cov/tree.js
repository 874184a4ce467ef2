// The tree of files: directories are drawn when they are opened, and long lists in parts.

const tree = directory("");

function directory(path) {
  return { path, name: "", directories: new Map(), files: [], parts: index.parts.map(() => [0, 0]), lost: 0, isOpen: false };
}

for (const file of files) {
  let at = tree;
  const names = file.path.split("/").slice(0, -1);
  const add = () => {
    at.parts.forEach((sum, i) => [0, 1].forEach((side) => (sum[side] += file.parts[i][side])));
    at.lost += file.lost;
  };
  add();
  for (const name of names) {
    if (!at.directories.has(name)) at.directories.set(name, { ...directory(at.path + name + "/"), name });
    at = at.directories.get(name);
    add();
  }
  at.files.push(file);
}

/** A directory with nothing but another one is shown as one; what is open is remembered there. */
function joined(directory) {
  const [inner, ...more] = directory.directories.values();
  if (directory.files.length || more.length || !inner) return directory;
  return (directory.joined ??= joined({ ...inner, name: directory.name + "/" + inner.name }));
}

/** Returns the name of a directory, without what is between the ends of a long one. */
function brief(name) {
  const names = name.split("/");
  return name.length > 30 && names.length > 2 ? `${names[0]}/…/${names.at(-1)}/` : name + "/";
}

/** What is counted, and how it is ordered. */
const chosen = { part: Math.max(0, index.parts.indexOf("lines")), order: "name", isLost: false, words: [] };

const ORDERS = {
  name: () => 0,
  missing: ([covered, count]) => covered - count,
  percent: ([covered, count]) => (count ? covered / count : 2),
};

/** Sorts what has parts; what is equal stays in the order of names. */
function ordered(list) {
  const key = ORDERS[chosen.order];
  return list.slice().sort((one, other) => key(one.parts[chosen.part]) - key(other.parts[chosen.part]));
}

const isWanted = (thing) => !chosen.isLost || thing.lost > 0;

/** Returns all files in the order of the tree. */
function inOrder(at = tree, out = []) {
  for (const thing of ordered([...at.directories.values(), ...at.files])) thing.directories ? inOrder(thing, out) : out.push(thing);
  return out;
}

function share(thing) {
  const [covered, count] = thing.parts[chosen.part];
  const lost = thing.lost ? el("span", { class: "lost", title: "lines that ran before and do not run now" }, `${exact(thing.lost)} lost `) : null;
  const ran = test ? el("span", { class: "by", title: "lines that the chosen test ran" }, `● ${exact(ranIn(thing))} `) : null;
  const missing = count > covered ? `−${exact(count - covered)}` : "";
  return [ran, lost, el("span", { class: "missing", title: "did not run" }, missing), ranBar(covered, count), el("span", { class: "percent" }, percent(covered, count))];
}

function fileRow(file, name) {
  return el("li", null, el("a", { class: "row", href: address(file.path), title: file.path, "data-file": file.number }, el("span", { class: "name" }, name), share(file)));
}

function directoryRow(at) {
  const list = el("ul");
  const button = el("button", { type: "button", class: "row", "aria-expanded": "false", title: at.name, click: () => toggle(!at.isOpen) }, el("span", { class: "name" }, brief(at.name)), share(at));
  function toggle(isOpen) {
    at.isOpen = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    list.replaceChildren();
    if (isOpen) fillRows(list, at);
  }
  // A directory that was open in another order is open again.
  if (at.isOpen) toggle(true);
  return el("li", null, button, list);
}

/** Returns what is shown of a directory. */
const inside = (at) => [...[...at.directories.values()].map(joined), ...at.files].filter(isWanted);

/** Draws what is in a directory, at least as far as the open file. */
function fillRows(list, at) {
  const all = ordered(inside(at)), path = files[markCurrent.number]?.path;
  const place = all.findIndex((thing) => (thing.directories ? path?.startsWith(thing.path) : thing.path === path));
  fill(list, all.map((thing) => () => (thing.directories ? directoryRow(thing) : fileRow(thing, thing.name))), Math.max(200, place + 1));
}

/** Draws the tree, or what is searched for. */
function drawTree() {
  const list = el("ul", { class: "rows" });
  if (chosen.words.length) {
    const found = ordered(files.filter((file) => isWanted(file) && chosen.words.every((word) => file.path.toLowerCase().includes(word))));
    fill(list, found.map((file) => () => fileRow(file, file.path)));
    say(`${many(found.length, "file")} found`);
    if (!found.length) list.append(el("li", { class: "nothing" }, "No file has this in its path."));
  } else {
    const all = inside(tree);
    if (all.length <= 3) for (const at of tree.directories.values()) joined(at).isOpen ||= true;
    fillRows(list, tree);
  }
  part("tree").replaceChildren(list);
  markCurrent();
}

/** Marks the file that is opened, and opens the directories that it is in. */
function follow(number) {
  markCurrent.number = number;
  const path = files[number]?.path;
  const row = () => part("tree").querySelector(`[data-file="${Number(number)}"]`);
  if (path && !row()) {
    for (let at = tree; at; at = inside(at).find((thing) => thing.directories && path.startsWith(thing.path))) at.isOpen = true;
    drawTree();
  } else markCurrent();
  row()?.scrollIntoView({ block: "nearest" });
}

/** Shows the tree, or hides it where there is no room for it and a file. */
function showFiles(isShown) {
  document.body.classList.toggle("files-shown", isShown);
  part("show-files").setAttribute("aria-expanded", String(isShown));
}

/** Marks the file that is shown. */
function markCurrent() {
  for (const old of part("tree").querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  part("tree").querySelector(`[data-file="${Number(markCurrent.number)}"]`)?.setAttribute("aria-current", "page");
}

index.parts.forEach((name, i) => {
  if (totals[i][1] > 0) part("part").append(el("option", { value: i, selected: i === chosen.part }, name));
});
part("lost-only").hidden = !index.baseline;
part("part").addEventListener("change", (event) => { chosen.part = Number(event.target.value); drawTree(); });
part("sort").addEventListener("change", (event) => { chosen.order = event.target.value; drawTree(); });
part("lost").addEventListener("change", (event) => { chosen.isLost = event.target.checked; drawTree(); });
part("show-files").addEventListener("click", () => showFiles(!document.body.classList.contains("files-shown")));
part("search").addEventListener("input", (event) => { chosen.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean); drawTree(); });
