// Which tests ran which lines (`--who`), and the chosen test: its lines are marked, and the address has its name. `tool/src/cov/html/who.rs`
// packs what is read here.

/** Tests in a part of the data. */
const GROUP = 64;

/** Tests that are shown of a list. */
const MOST = 50;

/** Each test: its name, how many lines it ran, and how many of these no other test ran. */
const tests = index.tests ?? [];

const testNumbers = new Map(tests.map(([name], number) => [name, number]));

/** The chosen test: its number, its name, and by numbers of files how many lines it ran. */
let test = null;

/** Returns the chosen test with this number. */
async function loadTest(number) {
  if (number === undefined) return null;
  const group = Math.floor(number / GROUP);
  // The parts of the tests are behind those of the files.
  const lists = await fetched({ number: files.length + group, block: (files.at(-1)?.block ?? -1) + 1 + group });
  const list = lists[number % GROUP], lines = new Map();
  for (let i = 0, file = 0; i < list.length; i += 2) lines.set((file += list[i]), list[i + 1]);
  return { number, name: tests[number][0], lines };
}

/** Returns how many lines of a file or directory the chosen test ran. */
function ranIn(thing) {
  if (!thing.directories) return test.lines.get(thing.number) ?? 0;
  return [...thing.directories.values(), ...thing.files].reduce((sum, inner) => sum + ranIn(inner), 0);
}

/** Returns whether a set, which has a hexadecimal digit for four tests, has a test. */
const isIn = (set, number) => ((parseInt(set[number >> 2] ?? "0", 16) >> (number & 3)) & 1) === 1;

/** What the chosen test is to a line. */
const NOT_BY = 0, BY = 1, ONLY_BY = 2;

const BY_MARKS = [["", null], ["●", "the chosen test ran this"], ["◆", "only the chosen test ran this"]];

function by(file, line) {
  const set = file.sets[file.setOf[line]];
  if (!set || !test || !isIn(set, test.number)) return NOT_BY;
  return /^0*[1248]$/.test(set) ? ONLY_BY : BY;
}

/** Makes a test the chosen one, and draws again what shows its lines, or has its name in addresses. */
function choose(chosen) {
  test = chosen;
  part("skip").href = address("");
  drawTests();
  drawTree();
  if (view) {
    part("facts").replaceWith(facts(view.file));
    view.again(1, view.file.last);
  }
  say(part("chosen").textContent);
}

/** Chooses a test, or none, by the address; with a line if it is chosen there. */
function pick(name, line) {
  const at = parse(location.hash);
  location.hash = address(at.path, line ?? at.line, name);
}

/** Returns a table of tests, which can be chosen there. */
function testTable(caption, numbers, line) {
  const rows = numbers.slice(0, MOST).map((number) => {
    const [name, lines, only] = tests[number];
    const isChosen = number === test?.number;
    const button = el("button", { type: "button", class: "test", "aria-pressed": String(isChosen), click: () => pick(isChosen ? null : name, line) }, name);
    return [button, exact(lines), exact(only)];
  });
  const more = numbers.length > MOST ? el("p", { class: "rest" }, `and ${exact(numbers.length - MOST)} more`) : null;
  return el("div", { class: "tests" }, table(caption, ["test", "lines", "only by it"], rows), more);
}

/** Returns the tests that ran a line. */
function testsOf(file, line) {
  const set = file.sets[file.setOf[line]];
  if (!set) return [];
  const numbers = Array.from(tests.keys()).filter((number) => isIn(set, number));
  return [testTable(`Tests that ran this line: ${exact(numbers.length)}`, numbers, line)];
}

/** Draws the list of tests, and which one is chosen. */
function drawTests() {
  part("tests").hidden = !index.tests;
  const [name, lines, only] = tests[test?.number] ?? [];
  part("chosen").replaceChildren(...el("span", null, test ? `Test: ${name} (${exact(lines)} lines, ${exact(only)} only by it)` : `Tests: ${exact(tests.length)}`).childNodes);
  part("all-tests").hidden = !test;
  const words = part("search-tests").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = Array.from(tests.keys()).filter((number) => words.every((word) => tests[number][0].toLowerCase().includes(word)));
  part("found-tests").replaceChildren(testTable(`Found: ${exact(found.length)}`, found));
}

part("all-tests").addEventListener("click", () => pick(null));
part("search-tests").addEventListener("input", () => {
  drawTests();
  say(part("found-tests").querySelector("caption").textContent);
});
