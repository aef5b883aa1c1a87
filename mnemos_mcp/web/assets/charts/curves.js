// Retention ahead in time: one line a memory, the line it would have if it were reinforced now, and the floor under which sleep archives.
import { h, s } from "../dom.js";
import { day, percent } from "../format.js";

const WIDEST = 760;
const EDGE = { left: 44, right: 14, top: 12, bottom: 30 };
const DAY = 86400;

/** lines: [{id, text, points [[days, share]], reinforced, slot}] over `days` from `now`, drawn for a place `room` pixels wide, so that figures keep their size. */
export function curves(lines, { days, now, floor, chosen, choose, room = WIDEST }) {
  const W = Math.min(WIDEST, Math.max(280, room));
  const H = Math.round(W * (W < 500 ? 0.72 : 0.45));
  const x = (d) => EDGE.left + (d / days) * (W - EDGE.left - EDGE.right);
  const y = (share) => EDGE.top + (1 - share) * (H - EDGE.top - EDGE.bottom);
  const path = (points) => points.map(([d, share], i) => `${i ? "L" : "M"}${x(d).toFixed(1)} ${y(share).toFixed(1)}`).join("");
  const ticks = (W < 500 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => part * days);
  return h("figure", { class: "curves" }, s("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": lines.map((l) =>
    `${l.text.slice(0, 60)}: ${percent(l.points[0][1])} now, ${percent(l.points.at(-1)[1])} on ${day(now + days * DAY)}`).join(". ") },
  [0, 0.25, 0.5, 0.75, 1].map((share) => [s("line", { class: "grid", x1: EDGE.left, x2: W - EDGE.right, y1: y(share), y2: y(share) }),
    s("text", { class: "tick", x: EDGE.left - 8, y: y(share) + 4, "text-anchor": "end" }, percent(share))]),
  ticks.map((d, i) => s("text", { class: "tick", x: x(d), y: H - 8, "text-anchor": i === 0 ? "start" : i === ticks.length - 1 ? "end" : "middle" }, d ? day(now + d * DAY) : "today")),
  s("rect", { class: "under", x: EDGE.left, width: W - EDGE.left - EDGE.right, y: y(floor), height: y(0) - y(floor) }),
  s("line", { class: "floor", x1: EDGE.left, x2: W - EDGE.right, y1: y(floor), y2: y(floor) }),
  s("text", { class: "tick floor-text", x: W - EDGE.right - 4, y: y(floor) - 5, "text-anchor": "end" }, `below ${percent(floor)} sleep archives it`),
  lines.filter((l) => l.id === chosen).map((l) => s("path", { class: `again k${l.slot}`, d: path(l.reinforced) })),
  lines.map((l) => s("path", { class: `curve k${l.slot} ${l.id === chosen ? "chosen" : ""}`, d: path(l.points), onclick: () => choose(l.id) }, s("title", {}, l.text)))));
}

/** How many go to the archive in each month: [[label, count]]. */
export function months(counts) {
  const most = Math.max(1, ...counts.map(([, n]) => n));
  return h("ol", { class: "months" }, counts.map(([label, n]) => h("li", { "aria-label": `${label}: ${n}` }, h("span", { class: "figure" }, n ? String(n) : ""),
    h("span", { class: "column", style: { height: `${(52 * n) / most}px` } }), h("span", { class: "tick" }, label))));
}
