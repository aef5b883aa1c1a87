// What hooks handed to a client unasked, and how long each hook took.
import { h } from "../dom.js";
import { ago, many } from "../format.js";
import { chip } from "../parts.js";

const SHOWN = 8;

const card = (title, ...kids) => h("section", { class: "card" }, h("h2", {}, title), kids);

export function receipts(all, ctx) {
  if (!all?.length) {
    return card("Receipts", h("p", {}, "Nothing has been injected yet."), h("p", { class: "hint" }, "When a hook hands memories to a client at the start of a session or a prompt, the receipt stands here: what, when, how large, to whom."));
  }
  return card("Receipts", h("ul", { class: "plainlist" }, all.slice(0, SHOWN).map((r) => h("li", {}, h("details", {},
    h("summary", {}, h("strong", {}, r.event), h("span", { class: "hint" }, ` ${ago(r.at)} · ${many(r.memories.length, "memory", "memories")}, ${r.chars.toLocaleString()} characters`)),
    h("ul", { class: "plainlist" }, r.memories.map((m) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => ctx.open(m.id) }, m.content), " ", m.used && chip("used", "good")))))))),
  all.length > SHOWN && h("p", { class: "hint" }, `and ${all.length - SHOWN} before`));
}

export function hooks(all) {
  if (!all?.length) {
    return card("Hook times", h("p", {}, "No hook has run yet."), h("p", { class: "hint" }, "Each hook notes how long it held the client; the median and the slowest stand here."));
  }
  return card("Hook times", h("table", { class: "grid-table" }, h("thead", {}, h("tr", {}, ["hook", "runs", "median", "slowest"].map((n) => h("th", { scope: "col" }, n)))),
    h("tbody", {}, all.map((t) => h("tr", {}, h("th", { scope: "row" }, t.event), [t.count, `${Math.round(t.median_ms)} ms`, `${Math.round(t.slowest_ms)} ms`].map((v) => h("td", { class: "number" }, String(v))))))));
}
