// Everything about one memory, at the side of any view.
import { get } from "./api.js";
import { byId, h, show } from "./dom.js";
import { ago, day, moment, percent, two } from "./format.js";
import { about, button, failure, iconButton, importance, leading, pairs, retention, SECTORS, unfolding } from "./parts.js";
import { marked } from "./words.js";

let shown = null;
let caller = null;
const unfolded = new Set(); // ids whose long text was opened

export const openId = () => shown;

export function closePanel() {
  const node = byId("panel");
  const row = shown && document.querySelector(`main [data-id="${CSS.escape(shown)}"]`);
  node.hidden = true;
  shown = null;
  document.body.classList.remove("with-panel");
  (caller?.isConnected && caller !== document.body ? caller : row)?.focus({ preventScroll: true });
}

/** Open, or draw again, the memory of this id. */
export async function openPanel(id, ctx, { focus = true } = {}) {
  const node = byId("panel");
  if (focus) caller = document.activeElement;
  shown = id;
  let found;
  try { found = await get("inspect", { id, project: ctx.project }); } catch (error) {
    if (shown !== id) return;
    show(node, head(), failure(error));
    node.hidden = false;
    return;
  }
  if (shown !== id) return;
  const scrolled = node.scrollTop;
  show(node, head(), body(found, ctx));
  node.hidden = false;
  document.body.classList.add("with-panel");
  node.scrollTop = focus ? 0 : scrolled;
  if (focus) node.querySelector("button")?.focus({ preventScroll: true });
}

const head = () => h("div", { class: "panel-head" }, h("h2", {}, "Memory"), iconButton("Close", "close", closePanel, { key: "Esc" }));

function deeds(m, ctx) {
  const { pin, reinforce, archive, restore, erase, edit } = ctx.deeds;
  const again = (id) => openPanel(id, ctx, { focus: false });
  return h("div", { class: "buttons left" },
    m.status === "active" && button("Edit", async () => { const id = await edit(m); if (id) await again(id); }, { glyph: "edit", title: "e" }),
    m.status === "active" && button(m.pinned ? "Unpin" : "Pin", async () => { await pin(m); await again(m.id); }, { glyph: "pin", pressed: m.pinned }),
    m.status === "active" && button("It helped", async () => { await reinforce(m); await again(m.id); }, { glyph: "helpful", title: "reinforce: it fades more slowly" }),
    m.status === "active" ? button("Archive", async () => { await archive(m); await again(m.id); }, { glyph: "archive" })
      : button("Restore", async () => { await restore(m); await again(m.id); }, { glyph: "restore" }),
    button("Erase", async () => { if (await erase(m)) closePanel(); }, { glyph: "erase", kind: "danger quiet" }));
}

function body(found, ctx) {
  const m = found.memory;
  return h("div", { class: "panel-body" },
    h("p", { class: "text" }, unfolding(m.content, unfolded, m.id)), about(m), deeds(m, ctx),
    section("Retention", retention(m.retention), ahead(found.retention, m)),
    section("Judged as", h("div", { class: "judged" }, h("div", {}, h("span", { class: "hint" }, `importance ${two(m.importance)}`), importance(m.importance)),
      h("div", {}, h("span", { class: "hint" }, `surprisal ${two(m.surprisal)}`), meter(m.surprisal)),
      h("div", {}, h("span", { class: "hint" }, `arousal ${two(m.affect.arousal)} · valence ${two(m.affect.valence)} · complexity ${two(m.affect.complexity)}`))),
      sectors(m.sectors)),
    section("Known since", pairs([["stored", moment(m.created_at)], ["true from", day(m.valid_from)], ["true until", m.valid_to && day(m.valid_to)],
      ["version", m.version > 1 && m.version], ["said by", m.role], ["id", h("code", {}, m.id)], ["reason", m.reason]])),
    chain(found, m, ctx), ties(found, ctx), recalls(found), notes(found),
    h("div", { class: "buttons left" },
      button("Timeline", () => { closePanel(); ctx.go("timeline", m.key ? { key: m.key } : { id: m.id }); }, { glyph: "timeline" }),
      button("Forgetting", () => { closePanel(); ctx.go("forgetting", { ids: m.id }); }, { glyph: "forgetting" }),
      button("Graph", () => { closePanel(); ctx.go("graph", { id: m.id }); }, { glyph: "graph" })));
}

const section = (title, ...kids) => h("section", {}, h("h3", {}, title), kids);
const meter = (value) => h("span", { class: "meter", role: "img", "aria-label": two(value) }, h("span", { style: { width: `${value * 100}%` } }));

function ahead(r, m) {
  if (m.protected) return h("p", { class: "hint" }, m.pinned ? "Pinned: it never goes to the archive." : "Protected: a standing instruction, preference or high importance never goes to the archive.");
  return h("p", { class: "hint" }, `half-life ${Math.round(r.half_life_days)} days, stability ${Math.round(r.stability_days)} days · left in 30 days ${percent(r.in_30_days ?? 0)}, `
    + `in 90 ${percent(r.in_90_days ?? 0)}, in a year ${percent(r.in_365_days ?? 0)}`);
}

function sectors(weights) {
  const lead = leading(weights);
  return h("ul", { class: "sectors" }, SECTORS.map((name) => h("li", { class: name === lead ? "lead" : "" }, h("span", {}, name),
    h("span", { class: "meter" }, h("span", { class: `c-${name}`, style: { width: `${weights[name] * 100}%` } })), h("span", { class: "figure" }, percent(weights[name])))));
}

function chain(found, m, ctx) {
  const revisions = (found.revisions || []).map((r, i, all) => h("li", {}, h("p", {}, marked(r.content, all[i + 1]?.content ?? m.content, "gone")),
    h("p", { class: "hint" }, `version ${r.version}, until ${r.valid_to?.slice(0, 10)}: ${r.reason}`)));
  const others = (found.timeline || []).filter((t) => t.id !== m.id).map((t) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => openPanel(t.id, ctx) }, t.content),
    h("p", { class: "hint" }, `${t.valid_from.slice(0, 10)} – ${t.valid_to ? t.valid_to.slice(0, 10) : "now"}`)));
  return revisions.length + others.length > 0 && section("Said otherwise before or after", h("ul", { class: "plainlist" }, revisions, others));
}

function ties(found, ctx) {
  const edges = (found.edges || []).filter((e) => found.texts[e.id]).slice(0, 12);
  if (!edges.length) return null;
  return section("Ties", h("ul", { class: "plainlist" }, edges.map((e) => h("li", {},
    h("button", { type: "button", class: "link", onclick: () => openPanel(e.id, ctx) }, found.texts[e.id] || e.id),
    h("span", { class: "hint" }, e.kind === "coactivation" ? ` recalled together ${Math.round(e.weight)}×` : ` ${e.kind} ${two(e.weight)}`)))));
}

function recalls(found) {
  const last = found.recalls || [];
  return last.length > 0 && section(`Recalled ${found.signals.recalls}×`, h("ul", { class: "plainlist" }, last.slice(0, 6).map((r) => h("li", {}, `“${r.query}” `,
    h("span", { class: "hint" }, ago(Date.parse(r.at) / 1000))))));
}

function notes(found) {
  const all = found.notes || [];
  return all.length > 0 && section("What happened to it", h("ul", { class: "plainlist" }, all.slice(-8).reverse().map((n) => h("li", {}, n.signal,
    h("span", { class: "hint" }, ` ${ago(Date.parse(n.at) / 1000)} ${told(n.note)}`)))));
}

function told(note) {
  try {
    const value = JSON.parse(note);
    return [value.reason, typeof value.retention === "number" && `at retention ${percent(value.retention)}`].filter(Boolean).join(", ");
  } catch (_) { return note || ""; }
}
