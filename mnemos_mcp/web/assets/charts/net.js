// A small graph: memories as circles, ties as lines. Size and colour of a circle are its energy.
import { h, s } from "../dom.js";
import { two } from "../format.js";
import { layout } from "./layout.js";

const KINDS = { likeness: "alike", coactivation: "recalled together", identifier: "share a rare name", adjacency: "said side by side" };
const LABEL = 26; // characters
const LETTER = 6.6; // pixels, generously
const LINE = 14; // pixels

const short = (text) => (text.length > LABEL ? `${text.slice(0, LABEL - 1).trimEnd()}…` : text);

/** nodes: [{id, text, energy 0..1, on, first}]; edges: [{a, b, kind, weight}]. */
export function net(nodes, edges, { open, height = 320, width: wide = 640 }) {
  const width = Math.max(280, wide);
  const place = layout(nodes, edges, width, height);
  const inside = edges.filter((e) => place.has(e.a) && place.has(e.b));
  const room = labels(nodes, place, width);
  return h("figure", { class: "net" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${nodes.length} memories, ${inside.length} ties` },
      inside.map((e) => s("line", { class: `tie ${e.kind}`, x1: place.get(e.a).x, y1: place.get(e.a).y, x2: place.get(e.b).x, y2: place.get(e.b).y,
        "stroke-width": e.kind === "coactivation" ? Math.min(4, 0.8 + e.weight * 0.5) : 0.8 + 2 * Math.min(1, e.weight) },
        s("title", {}, `${KINDS[e.kind] || e.kind}${e.kind === "coactivation" ? ` ${Math.round(e.weight)} times` : e.kind === "likeness" ? ` ${two(e.weight)}` : ""}`))),
      nodes.map((node) => circle(node, place.get(node.id), open, room.get(node.id)))),
    h("figcaption", { class: "legend" }, [...new Set(inside.map((e) => e.kind))].map((kind) => h("span", {}, h("span", { class: `line ${kind}` }), KINDS[kind] || kind))));
}

const radius = (node) => 5 + 9 * (node.energy || 0);

/** Where the names stand: below or above their circle, the most lit first; one that would lie on another is left to the title and to the list. */
function labels(nodes, place, width) {
  const taken = [];
  const found = new Map();
  for (const node of nodes.slice().sort((a, b) => Number(b.first || 0) - Number(a.first || 0) || (b.energy || 0) - (a.energy || 0))) {
    const { x, y } = place.get(node.id);
    const text = short(node.text);
    const wide = text.length * LETTER;
    const anchor = x > width * 0.72 ? "end" : x < width * 0.28 ? "start" : "middle";
    const left = anchor === "end" ? x - wide : anchor === "start" ? x : x - wide / 2;
    const free = [radius(node) + 13, -radius(node) - 6].find((dy) => !taken.some(([l, t]) => left < l[1] && l[0] < left + wide && Math.abs(t - (y + dy)) < LINE));
    if (free === undefined) continue;
    taken.push([[left, left + wide], y + free]);
    found.set(node.id, { text, anchor, y: free });
  }
  return found;
}

function circle(node, at, open, name) {
  const r = radius(node);
  const go = () => open(node.id);
  return s("g", { class: `node ${node.on ? "on" : ""} ${node.first ? "first" : ""}`, tabindex: "0", role: "button", "aria-label": `${node.text}${node.energy ? `, energy ${two(node.energy)}` : ""}`,
    onclick: go, onkeydown: (event) => { if (event.key === "Enter") { event.stopPropagation(); go(); } }, transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})` },
    s("title", {}, `${node.text}${node.energy ? `\nenergy ${two(node.energy)}` : ""}`),
    node.on && s("circle", { class: "ring", r: r + 3.5 }),
    s("circle", { class: "disc", r, style: { "--energy": String(node.energy || 0) } }),
    name && s("text", { y: name.y, "text-anchor": name.anchor }, name.text));
}
