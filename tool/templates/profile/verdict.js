// The first look: what is to be done about a profile, in at most five lines. Each leads to its list.

/** Shares in percent: of what is trained, or in common, from which on it is enough; of the largest two counters, from which on they dominate; of
 * what an input has in common with the others, below which it is another workload. */
const ENOUGH = 80, DOMINANT = 50, ALIKE = 50;

const shareOfAll = (list) => decimal(list.reduce((sum, fn) => sum + shareOf(fn), 0));

/** Returns a line: whether all is well, and what is so. */
const verdict = (isGood, ...what) => el("li", null, el("strong", { class: isGood ? "good" : "bad" }, isGood ? "✓" : "⚠"), " ", el("span", null, what));

function overlap() {
  const changed = functions.filter(FILTERS.get("class changed")).length;
  return verdict(index.overlap >= ENOUGH, `A and B have ${decimal(index.overlap)} of their counts in common; `, link(`${many(changed, "function")} changed class`, "functions", "class changed"), ".");
}

function trained() {
  const { functions: all, code } = index, { functions: known, functions_that_ran: ran } = sides[LAST].summary;
  if (!all) return verdict(false, link(`${exact(ran)} of ${many(known, "function")} of the profile ran`, "functions"), "; with --object the page has those of the program too, and what is stale.");
  const share = (100 * all.ran) / (all.all || 1), untrained = functions.filter(FILTERS.get("never trained")).length;
  return verdict(share >= ENOUGH, `${exact(all.ran)} of ${many(all.all, "function")} of the program ran in training (${decimal(share)}${code ? `; ${decimal((100 * code.ran) / (code.all || 1))} of its code` : ""}); `,
    link(`${many(untrained, "function")} never trained`, "functions", "never trained"), share >= ENOUGH ? "." : ": train with inputs that reach more.");
}

function stale() {
  if (!index.knows_hashes) return null;
  const own = functions.filter(FILTERS.get("hot, stale"));
  if (!own.length) return verdict(true, "No hot function is stale.");
  return verdict(false, link(`${many(own.length, "hot function")} with ${shareOfAll(own)} of all counts ${own.length === 1 ? "is" : "are"} stale`, "functions", "hot, stale"), ": rebuild the instrumented program, and train again.");
}

function dominant() {
  const [number, share] = sides[LAST].curve.filter(([number]) => number <= 2).at(-1) ?? [0, 0];
  if (share < DOMINANT) return verdict(true, `No counter dominates: the largest ${many(number, "counter")} have ${decimal(share)} of all counts.`);
  const largest = (fn) => Number(fn.sides[LAST]?.[1] ?? -1);
  const top = functions.reduce((one, other) => (largest(other) > largest(one) ? other : one));
  return verdict(false, `${many(number, "counter")} have ${decimal(share)} of all counts, the largest is in `, link(shortened(top.name), "function", top.number), ": if one workload only ran longer than others, normalize them: ", el("code", { class: "command" }, "profrt merge --balance"), ".");
}

function ambiguous() {
  const own = functions.filter(FILTERS.get("ambiguous name"));
  return own.length ? verdict(false, link(`${many(own.length, "record")} have ambiguous names`, "functions", "ambiguous name"), ": functions of one name with several hashes; compilers warn of all but one.") : null;
}

function alike() {
  if (!index.inputs.length) return null;
  const [name, least] = index.inputs.reduce((one, other) => (other[1] < one[1] ? other : one));
  return verdict(least >= ALIKE, `Of ${many(index.inputs.length, "input")}, `, link(name, "inputs"), ` has least in common with the rest: ${decimal(least)}.`);
}

const verdicts = () => el("ul", { class: "verdict" }, [IS_PAIR ? overlap() : null, trained(), stale(), dominant(), ambiguous(), alike()].filter(Boolean).slice(0, 5));

function drawInputs() {
  rows = null;
  const list = index.inputs.slice().sort(([, one], [, other]) => one - other);
  part("main").replaceChildren(el("div", { class: "overview" }, el("h1", null, "Inputs"),
    table("Inputs, what they have in common with the sum of the others, and their share of all counts", ["input", "in common", "share"], list.map(([name, overlap, share]) => [name, decimal(overlap), decimal(share)]))));
}
