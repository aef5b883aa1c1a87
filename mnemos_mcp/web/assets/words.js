// Which words changed between two texts: the longest common run of words, as text nodes with marks around the rest.
import { h } from "./dom.js";

const MOST = 400; // words; longer texts are shown without marks

const pieces = (text) => text.match(/\S+|\s+/g) || [];
const bare = (piece) => piece.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

/** For each word of `b`, whether it stands in the longest common subsequence with `a`; and the same for `a`. */
export function common(a, b) {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = bare(a[i]) === bare(b[j]) ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const inA = a.map(() => false);
  const inB = b.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (bare(a[i]) === bare(b[j])) { inA[i] = true; inB[j] = true; i += 1; j += 1; }
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return [inA, inB];
}

/** `text` with the words marked that `other` does not have: kind "new" as added ones, "gone" as removed ones. */
export function marked(text, other, kind = "new") {
  const all = pieces(text);
  const words = all.filter((p) => p.trim());
  const others = pieces(other).filter((p) => p.trim());
  if (words.length > MOST || others.length > MOST) return [text];
  const kept = common(words, others)[0];
  const tag = kind === "new" ? "ins" : "del";
  let at = 0;
  const out = [];
  let run = [];
  const flush = () => {
    if (!run.length) return;
    const tail = run.at(-1).trim() ? [] : [run.pop()];
    out.push(h(tag, {}, run.join("")), ...tail);
    run = [];
  };
  for (const piece of all) {
    if (!piece.trim()) { if (run.length) run.push(piece); else out.push(piece); continue; }
    if (kept[at]) { flush(); out.push(piece); } else run.push(piece);
    at += 1;
  }
  flush();
  return out;
}
