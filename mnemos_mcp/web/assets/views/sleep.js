// Sleep: what waits for it, what each run changed and the way back, and what the gate let go.
import { get, post } from "../api.js";
import { h, say, show } from "../dom.js";
import { ago, many, moment, percent, two } from "../format.js";
import { attempt, toast } from "../deeds.js";
import { button, chip, empty, failure, heading, unfolding } from "../parts.js";

const SHOWN = 40;
const GONE = "a memory that is no longer there";
const READ_AS = { unjudged: "not read yet" };

export default {
  name: "sleep", title: "Sleep", about: "Runs, the gate, what waits", draw(main, params, ctx) {
    const body = h("div", { class: "sleep-body" });
    const unfolded = new Set();
    let preview = null;
    let only = "let go";
    show(main, heading("Sleep", "Episodes become facts, doubles merge, the faded are archived. Every run is a dated diff, and every run can be undone."), body);

    async function load() {
      try { draw(await get("sleep", { project: ctx.project })); } catch (error) { show(body, failure(error)); }
    }

    function draw(found) {
      const pending = found.episodes.filter((e) => e.status === "pending");
      show(body, h("div", { class: "side-by-side even" }, h("div", {}, waiting(pending), runs(found.runs)), gate(found)));
    }

    function waiting(pending) {
      return h("section", { class: "card" }, h("h2", {}, "Waiting", h("span", { class: "count" }, String(pending.length))),
        pending.length ? h("ul", { class: "plainlist" }, pending.slice(0, 8).map((e) => h("li", {}, h("span", { class: "content" }, unfolding(e.content, unfolded, e.id)), h("p", { class: "about" }, chip(READ_AS[e.kind] || e.kind || "chatter", e.durable ? "good" : ""),
          h("span", {}, e.role), h("time", {}, ago(e.at)))))) : h("p", { class: "hint" }, "Nothing waits: what was said has been settled."),
        pending.length > 8 && h("p", { class: "hint" }, `and ${pending.length - 8} more`),
        h("div", { class: "buttons left" },
          button("What would sleep do?", async () => { preview = await attempt(() => post("consolidate", { project: ctx.project, dry_run: true })); load(); }),
          button("Sleep now", sleepNow, { kind: "primary", glyph: "sleep" })),
        preview && h("div", { class: "preview" }, h("h3", {}, "It would"), account({ facts: preview.facts || [], merged: preview.merged || [], revised: (preview.revised || []).map((id) => ({ id })), archived: preview.archived || [],
          settled: preview.pruned || 0 }), preview.note && h("p", { class: "note" }, preview.note)));
    }

    async function sleepNow() {
      preview = null;
      const done = await attempt(() => post("consolidate", { project: ctx.project }));
      if (!done) return;
      if (!done.run) toast(done.note ? `Nothing was written: ${done.note}` : "Nothing was to be done."); else toast("Slept.", () => undo(done.run));
      load();
    }

    async function undo(id) {
      await attempt(async () => { await post("consolidate", { project: ctx.project, undo: id }); toast("Undone: memories and episodes are as they were before the run."); });
      load();
    }

    function runs(all) {
      return h("section", { class: "card" }, h("h2", {}, "Runs"), all.length ? h("ol", { class: "runs" }, all.map((r) => h("li", { class: r.undone_at ? "undone" : "", "data-run": r.id },
        h("header", {}, h("strong", {}, moment(r.at)), h("span", { class: "hint" }, `${many(r.episodes, "episode")} read`), r.undone_at ? chip("undone") : button("Undo", () => undo(r.id), { kind: "quiet" })), account(r))))
        : h("p", { class: "hint" }, "No run has changed anything yet. Sleep is due after ten episodes and an hour, or when a session ends."));
    }

    function account(r) {
      const open = (id, text) => (id && text ? h("button", { type: "button", class: "link", onclick: () => ctx.open(id) }, text) : text || h("span", { class: "hint" }, GONE));
      const lines = [
        ...r.facts.map((f) => ["+", f.outcome === "stored" ? "good" : "", [open(f.id, f.text || f.content || f.reason), h("span", { class: "hint" }, ` ${f.outcome}`)]]),
        ...r.merged.map((m) => ["≈", "", [h("del", {}, m.gone_text || GONE), " is the same as ", open(m.kept, m.kept_text)]]),
        ...r.revised.map((m) => ["~", "", [open(m.id, m.text), h("span", { class: "hint" }, " revised")]]),
        ...r.archived.map((m) => ["−", "bad", [open(m.id, m.text), h("span", { class: "hint" }, ` archived at ${percent(m.retention)}`)]])];
      if (!lines.length && !r.settled) return h("p", { class: "hint" }, "change nothing");
      return h("ul", { class: "diff" }, lines.map(([mark, kind, what]) => h("li", { class: kind }, h("span", { class: "mark", "aria-hidden": "true" }, mark), h("span", {}, what))),
        r.settled > 0 && h("li", {}, h("span", { class: "mark", "aria-hidden": "true" }, "·"), h("span", {}, many(r.settled, "episode"), " settled")));
    }

    function gate(found) {
      const kept = found.episodes.filter((e) => e.memory_id);
      const dropped = found.episodes.filter((e) => !e.memory_id && !e.durable && !e.kind); // a durable one waits for its fact, an unread one for its reading
      const shown = only === "let go" ? dropped : kept;
      const choose = (name, all) => h("button", { type: "button", "aria-pressed": String(only === name), onclick: () => { only = name; draw(found); } }, `${name} (${all.length})`);
      return h("section", { class: "card" }, h("h2", {}, "The gate"), h("p", { class: "hint" }, `Kept is what was not predicted (surprisal of ${two(ctx.start.threshold)} or more) and will matter later. Corrections and standing instructions always are. `
        + `In all projects so far ${(found.gate.kept || 0).toLocaleString()} kept, ${(found.gate.dropped || 0).toLocaleString()} let go.`),
      h("div", { class: "switch", role: "group", "aria-label": "Which" }, choose("let go", dropped), choose("kept", kept)),
      shown.length ? h("ul", { class: "gate" }, shown.slice(0, SHOWN).map((e) => episode(e))) : empty("Nothing here", "What is said passes the gate; this is its log."));
    }

    function episode(e) {
      return h("li", { "data-episode": e.id }, surprise(e),
      h("div", {}, h("p", { class: "content" }, unfolding(e.content, unfolded, e.id)), h("p", { class: "about" }, h("span", {}, e.durable ? e.kind : "not durable"), h("span", {}, e.role), h("span", {}, `from ${e.origin}`), h("time", {}, ago(e.at)),
        e.memory_id ? h("button", { type: "button", class: "link", onclick: () => ctx.open(e.memory_id) }, "its memory")
          : h("button", { type: "button", class: "link", onclick: () => keep(e) }, "Keep it after all"))));
    }

    function surprise(e) {
      if (e.surprisal === null) return h("span", { class: "hint", title: "put down by a hook or an import, which ask no model: judged by its words alone" }, "not measured");
      return h("div", { class: "surprise", role: "img", "aria-label": `surprisal ${two(e.surprisal)}`, title: `surprisal ${two(e.surprisal)}, threshold ${two(ctx.start.threshold)}` },
        h("span", { class: "track" }, h("span", { class: e.memory_id ? "fill kept" : "fill", style: { width: `${100 * Math.min(1, e.surprisal)}%` } }), h("span", { class: "threshold", style: { left: `${100 * ctx.start.threshold}%` } })),
        h("span", { class: "figure" }, two(e.surprisal)));
    }

    async function keep(e) {
      const kept = await attempt(() => post("keep", { id: e.id, project: ctx.project }));
      if (!kept) return;
      if (kept.stored) { say("Kept"); toast("Kept, in its own words and with its own origin.", async () => { await post("forget", { id: kept.id, project: ctx.project }); ctx.changed(); }); } else toast(`Not kept: ${kept.reason}`, null, { bad: true });
      load();
    }

    load();
    return { refresh: load };
  },
};
