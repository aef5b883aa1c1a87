// A small graph: memories as circles, ties as lines. Size and colour of a circle are its energy.
import { h, s } from "../dom.js";
import { two } from "../format.js";
import { layout } from "./layout.js";

const KINDS = { likeness: "alike", coactivation: "recalled together", identifier: "share a rare name", adjacency: "said side by side" };
const LABEL = 26; // characters
const NARROW = 500; // pixels

const short = (text) => (text.length > LABEL ? `${text.slice(0, LABEL - 1).trimEnd()}…` : text);

/** nodes: [{id, text, energy 0..1, on, first}]; edges: [{a, b, kind, weight}]. */
export function net(nodes, edges, { open, height = 320, width: room = 640 }) {
  const width = Math.max(280, room);
  const place = layout(nodes, edges, width, height);
  const inside = edges.filter((e) => place.has(e.a) && place.has(e.b));
  const many = nodes.length > (width < NARROW ? 8 : 16);
  return h("figure", { class: "net" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${nodes.length} memories, ${inside.length} ties` },
      inside.map((e) => s("line", { class: `tie ${e.kind}`, x1: place.get(e.a).x, y1: place.get(e.a).y, x2: place.get(e.b).x, y2: place.get(e.b).y,
        "stroke-width": e.kind === "coactivation" ? Math.min(4, 0.8 + e.weight * 0.5) : 0.8 + 2 * Math.min(1, e.weight) },
        s("title", {}, `${KINDS[e.kind] || e.kind}${e.kind === "coactivation" ? ` ${Math.round(e.weight)} times` : e.kind === "likeness" ? ` ${two(e.weight)}` : ""}`))),
      nodes.map((node, i) => circle(node, place.get(node.id), i, open, many, width))),
    h("figcaption", { class: "legend" }, [...new Set(inside.map((e) => e.kind))].map((kind) => h("span", {}, h("span", { class: `line ${kind}` }), KINDS[kind] || kind))));
}

function circle(node, at, i, open, many, width) {
  const r = 5 + 9 * (node.energy || 0);
  const go = () => open(node.id);
  const anchor = at.x > width * 0.72 ? "end" : at.x < width * 0.28 ? "start" : "middle";
  const labelled = !many || node.first || node.energy > 0.6 || i < 6;
  return s("g", { class: `node ${node.on ? "on" : ""} ${node.first ? "first" : ""}`, tabindex: "0", role: "button", "aria-label": `${node.text}${node.energy ? `, energy ${two(node.energy)}` : ""}`,
    onclick: go, onkeydown: (event) => { if (event.key === "Enter") { event.stopPropagation(); go(); } }, transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})` },
    s("title", {}, `${node.text}${node.energy ? `\nenergy ${two(node.energy)}` : ""}`),
    node.on && s("circle", { class: "ring", r: r + 3.5 }),
    s("circle", { class: "disc", r, style: { "--energy": String(node.energy || 0) } }),
    labelled && s("text", { y: r + 13, "text-anchor": anchor }, short(node.text)));
}
