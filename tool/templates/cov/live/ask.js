// Where the data of a running program come from: `profrt live`. The token is in the address of the page, and then in the memory of its tab.

if (/^#[0-9a-f]{32}$/.test(location.hash)) {
  sessionStorage.setItem("token", location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

/** Sends a request. Throws: there is no answer. */
async function send(path, parameters, method = "GET") {
  const headers = { "x-profrt-token": sessionStorage.getItem("token") ?? "" };
  const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`, { method, headers });
  if (answer.status === 403) throw new Error("The address has no token, or that of another run. Open the one that profrt live has printed.");
  const text = await answer.text();
  if (!answer.ok) throw new Error(text || "profrt live does not answer.");
  return text;
}

/** What is shown: only what ran since the mark, the tick after which news are asked for, and how often all was asked for. */
const asked = { isSinceMark: false, after: 0, number: 0 };

/** Returns what has changed. */
const ask = async (parameters) => JSON.parse(await send("data", { since_mark: asked.isSinceMark, ...parameters }));

/** Loads a file. */
async function load(number) {
  const { file } = await ask({ source: number });
  if (!file) throw new Error("This source cannot be shown: markers in it do not match.");
  return unpack(number, file);
}

try {
  const { tick, index } = await ask({});
  asked.after = tick;
  part("index").textContent = JSON.stringify(index);
} catch (error) {
  part("main").replaceChildren(el("p", { class: "note", role: "alert" }, error.message));
  return;
}
