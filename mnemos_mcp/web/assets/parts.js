// Pieces that several views draw.
import { h, show } from "./dom.js";
import { ago, day, fresh, percent, two } from "./format.js";
import { icon } from "./icons.js";

export const SECTORS = ["semantic", "procedural", "episodic", "emotional", "reflective"];

/** How well a memory is retained: length and colour say the same, the figure says it again. */
export function retention(share, { label = true } = {}) {
  return h("div", { class: `retention ${fresh(share)}`, role: "img", "aria-label": `retention ${percent(share)}`, title: `retention ${percent(share)}: what decay has left of it` },
    h("span", { class: "track" }, h("span", { class: "fill", style: { width: `${Math.max(2, share * 100)}%` } })),
    label && h("span", { class: "figure" }, percent(share)));
}

export function sectorStrip(sectors) {
  const said = SECTORS.filter((name) => sectors[name] > 0.005).map((name) => `${name} ${percent(sectors[name])}`).join(", ");
  return h("span", { class: "strip", role: "img", "aria-label": `sectors: ${said}`, title: said },
    SECTORS.map((name) => sectors[name] > 0.005 && h("span", { class: `c-${name}`, style: { "flex-grow": sectors[name] } })));
}

export const leading = (sectors) => SECTORS.reduce((best, name) => (sectors[name] > sectors[best] ? name : best), SECTORS[0]);

/** Importance as five steps and its figure. */
export function importance(value) {
  const steps = Math.max(1, Math.round(value * 5));
  return h("span", { class: "importance", role: "img", "aria-label": `importance ${two(value)}`, title: `importance ${two(value)}` },
    [1, 2, 3, 4, 5].map((n) => h("i", { class: n <= steps ? "on" : "" })));
}

const LONG = 700; // characters
const CUT = 500;

/** A text; of a long one its beginning and a button for the rest. `open`: where its unfolding is remembered over redraws. */
export function unfolding(text, open = new Set(), id = text) {
  if (text.length <= LONG || open.has(id)) return [text];
  const whole = h("button", { type: "button", class: "link", onclick: () => { open.add(id); const box = whole.parentElement; show(box, text); box.tabIndex = -1; box.focus({ preventScroll: true }); } },
    `show all ${text.length.toLocaleString()} characters`);
  return [`${Array.from(text.slice(0, CUT)).slice(0, -1).join("").trimEnd()}… `, whole];
}

export const chip = (text, kind = "", title = "") => h("span", { class: `chip ${kind}`, title: title || undefined }, text);

/** What stands below a memory's text. */
export function about(m, { tags = true } = {}) {
  return h("p", { class: "about" },
    m.pinned && h("span", { class: "pinned", title: "pinned: it never fades" }, icon("pin"), "pinned"),
    m.status !== "active" && chip(m.status, m.status, m.reason),
    m.key && chip(m.key, "key", "topic: one current value"),
    h("span", {}, m.scope), h("span", { class: m.origin === "imported" || m.origin === "tool" ? "foreign" : "" }, `from ${m.origin}`), h("span", {}, m.kind),
    tags && m.tags.map((tag) => h("span", { class: "tag" }, `#${tag}`)),
    h("time", { datetime: new Date(m.created_at * 1000).toISOString(), title: day(m.created_at) }, ago(m.created_at)));
}

export function empty(title, ...kids) {
  return h("section", { class: "empty" }, h("h2", {}, title), kids.map((kid) => (typeof kid === "string" ? h("p", {}, kid) : kid)));
}

export const command = (text) => h("pre", { class: "command" }, h("code", {}, text));

export function failure(error) {
  return h("p", { class: "failure", role: "alert" }, error.message);
}

export function button(label, onclick, { kind = "", glyph = "", title = "", pressed = undefined } = {}) {
  return h("button", { type: "button", class: kind, onclick, title: title || undefined, "aria-pressed": pressed === undefined ? undefined : String(pressed) },
    glyph && icon(glyph), h("span", {}, label));
}

export function iconButton(label, glyph, onclick, { pressed = undefined, key = "" } = {}) {
  return h("button", { type: "button", class: "plain", onclick, disabled: !onclick, "aria-label": label, title: key ? `${label} (${key})` : label,
    "aria-pressed": pressed === undefined ? undefined : String(pressed) }, icon(glyph));
}

export function select(label, options, value, onchange, disabled = false) {
  return h("label", { class: "choice" }, h("span", {}, label),
    h("select", { disabled, onchange: (event) => onchange(event.target.value) },
      options.map(([key, text]) => h("option", { value: key, selected: key === value }, text))));
}

export function heading(title, text) {
  return h("div", { class: "heading" }, h("h1", {}, title), text && h("p", {}, text));
}

export function pairs(rows) {
  return h("dl", { class: "pairs" }, rows.filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false)
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
