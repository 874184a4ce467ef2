// Reads the compressed data in the text of a page. `tool/src/page/block.rs` writes them.

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

/** Returns what is in a block of the page, which is JSON; `revive` is that of `JSON.parse`. */
async function inBlock(number, revive) {
  // Blocks are behind the scripts, so that the page is seen before all of them are read.
  if (document.readyState === "loading") await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  const element = document.getElementsByClassName("block")[number];
  if (!element) throw new Error("The page is cut: its end is missing. Was it copied completely?");
  const stream = new Blob([bytes(element.textContent)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text(), revive);
}
