// What works and what does not, with effect and remedy; how large the file is; what was injected, and how long hooks took.
import { get } from "../api.js";
import { h, show } from "../dom.js";
import { bytes, many, percent } from "../format.js";
import { empty, failure, heading, pairs, SECTORS } from "../parts.js";
import { hooks, receipts } from "./receipts.js";

const MARKS = { ok: "✓", warn: "!", fail: "✗" };
const WORDS = { ok: "All is well", warn: "It works; something deserves a look", fail: "Something does not work" };
const PARTS = { file: "database", "-wal": "journal of writes (-wal)", "-shm": "its index (-shm)" };
const ROWS = { memory: "memories, former ones included", vector: "vectors", revision: "former texts", episode: "episodes", edge: "ties", recall: "recalls remembered", run: "runs of sleep" };

export default {
  name: "health", title: "Health", about: "What works and what does not", draw(main, params, ctx) {
    const body = h("div", { class: "health-body" });
    show(main, heading("Health", "Each part is asked in turn. A fault comes with its effect and its remedy."), body);

    async function load() {
      try {
        const [health, stats, sizes] = await Promise.all([get("health"), get("stats"), get("sizes", { project: ctx.project })]);
        show(body, verdict(health), h("div", { class: "cards" }, checks(health), counts(stats), gate(stats), size(sizes, stats),
          receipts(sizes.receipts, ctx), hooks(sizes.hook_times), settings(health)));
      } catch (error) { show(body, failure(error)); }
    }

    const card = (title, ...kids) => h("section", { class: "card" }, h("h2", {}, title), kids);

    function verdict(r) {
      const wrong = r.checks.filter((c) => c.status !== "ok").length;
      return h("p", { class: `verdict ${r.status}` }, h("span", { class: "mark", "aria-hidden": "true" }, MARKS[r.status]), h("strong", {}, WORDS[r.status]),
        h("span", { class: "hint" }, wrong ? `${wrong} of ${r.checks.length} checks` : `${r.checks.length} checks`));
    }

    function checks(r) {
      const order = { fail: 0, warn: 1, ok: 2 };
      return h("section", { class: "card wide" }, h("h2", {}, "Checks"), h("ul", { class: "checks" }, r.checks.slice().sort((a, b) => order[a.status] - order[b.status]).map((c) =>
        h("li", { class: c.status }, h("span", { class: "mark", role: "img", "aria-label": c.status }, MARKS[c.status]), h("div", {}, h("p", {}, h("strong", {}, c.name.replaceAll("_", " ")), h("span", {}, c.detail)),
          c.status !== "ok" && (c.effect || c.remedy) && pairs([["effect", c.effect], ["remedy", c.remedy]]))))));
    }

    function counts(r) {
      const scopes = Object.entries(r.memories || {});
      if (!scopes.length) return card("Memories of all projects", h("p", { class: "hint" }, "none yet"));
      return card("Memories of all projects", h("table", { class: "grid-table" }, h("thead", {}, h("tr", {}, ["scope", "active", "superseded", "archived"].map((n) => h("th", { scope: "col" }, n)))),
        h("tbody", {}, scopes.map(([scope, by]) => h("tr", {}, h("th", { scope: "row" }, scope), ["active", "superseded", "archived"].map((n) => h("td", { class: "number" }, (by[n] || 0).toLocaleString())))))),
        h("ul", { class: "sectors" }, SECTORS.map((name) => h("li", {}, h("span", {}, name), h("span", { class: "meter" }, h("span", { class: `c-${name}`, style: { width: `${100 * (r.sectors?.[name] || 0)}%` } })),
          h("span", { class: "figure" }, percent(r.sectors?.[name] || 0))))));
    }

    function gate(r) {
      const kept = r.gate.kept || 0;
      const dropped = r.gate.dropped || 0;
      const all = kept + dropped;
      if (!all) return card("Gate", h("p", { class: "hint" }, "Nothing has been judged yet."));
      return card("Gate", h("div", { class: "split", role: "img", "aria-label": `${kept} kept, ${dropped} let go` }, h("span", { class: "kept", style: { "flex-grow": kept } }), h("span", { class: "dropped", style: { "flex-grow": dropped } })),
        pairs([["kept", kept.toLocaleString()], ["let go", dropped.toLocaleString()], ["waiting for sleep", many(r.episodes?.pending || 0, "episode")], ["recalls", (r.recalls || 0).toLocaleString()],
          ["injections", (r.injections || 0).toLocaleString()]]), h("a", { href: ctx.link("sleep") }, "What it let go, and why"));
    }

    function size(r, stats) {
      const files = Object.entries(r.files);
      return card("File", h("p", { class: "big" }, bytes(stats.file_bytes || files.reduce((sum, [, n]) => sum + n, 0))),
        pairs([...files.map(([name, n]) => [PARTS[name] || name, bytes(n)]), ["free inside", percent(r.free)], ...Object.entries(r.rows).map(([name, n]) => [ROWS[name] || name, n.toLocaleString()])]));
    }

    function settings(r) {
      const rows = (value) => pairs(Object.entries(value || {}));
      return h("section", { class: "card wide" }, h("h2", {}, "Versions, paths, settings"), h("div", { class: "two" }, h("div", {}, h("h3", {}, "Versions"), rows(r.versions), h("h3", {}, "Paths"), rows(r.paths)),
        h("div", {}, h("h3", {}, "Not the default"), Object.keys(r.differs || {}).length ? rows(r.differs) : h("p", { class: "hint" }, "Every setting is at its default."))));
    }

    load();
    return { refresh: load };
  },
};
