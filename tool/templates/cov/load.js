// Where data come from: blocks of the page, or files next to it.

/** Returns the bytes of a block of the page: 7 bits of each character. */
function bytes(text) {
  const out = new Uint8Array((text.length * 7) >> 3);
  for (let i = 0, to = 0, bits = 0, have = 0; to < out.length; i++) {
    bits = ((bits << 7) | (text.charCodeAt(i) & 127)) & 0x7fff;
    have += 7;
    if (have >= 8) out[to++] = bits >> (have -= 8);
  }
  return out;
}

/** Returns the packed data of a file, or of a part of the tests, in a block of the page. */
async function fromBlock({ number, block }) {
  // Blocks are behind the scripts, so that the page is seen before all of them are read.
  if (document.readyState === "loading") await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  const element = document.getElementsByClassName("block")[block];
  if (!element) throw new Error("The page is cut: its end is missing. Was it copied completely?");
  const stream = new Blob([bytes(element.textContent)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const all = JSON.parse(await new Response(stream).text());
  let first = number;
  while (files[first - 1]?.block === block) first--;
  return all[number - first];
}

/** Where scripts of data hand over what they have. */
const waiting = new Map();
window.profrt = (number, packed) => waiting.get(number)?.(packed);

/** Returns the same in a script next to the page. */
function fromScript({ number }) {
  return new Promise((done, failed) => {
    const src = `${index.data}/${String(number).padStart(6, "0")}.js`;
    const script = el("script", { src, error: () => failed(new Error(`${src} cannot be loaded. Was the directory copied completely?`)) });
    waiting.set(number, done);
    document.head.append(script);
    script.addEventListener("load", () => script.remove());
  }).finally(() => waiting.delete(number));
}

const fetched = (wanted) => (index.data ? fromScript(wanted) : fromBlock(wanted));

/** Loads a file. */
const load = async (number) => unpack(number, await fetched(files[number]));
