// Where data come from: blocks of the page, or files next to it.

/** Returns the packed data of a file, or of a part of the tests, in a block of the page. */
async function fromBlock({ number, block }) {
  const all = await inBlock(block);
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
