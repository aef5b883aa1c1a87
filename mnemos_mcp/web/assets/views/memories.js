// The live store: rows with what they are worth, search through the real recall, and everything that can be done to them.
import { gone, lastOf } from "../api.js";
import { h, later, say, show } from "../dom.js";
import { many, percent, two } from "../format.js";
import { about, button, command, empty, failure, iconButton, importance, leading, retention, sectorStrip, select } from "../parts.js";
import { stack } from "../charts/stack.js";

const PAGE = 50;
const HELD = 20; // of those held back by a gate
const TYPING_MS = 140;
const GATES = { floor: "below floor", trailing: "far below", packing: "packed out" };

export default {
  name: "memories", title: "Memories", about: "The live store", draw(main, params, ctx) {
    const asked = { q: "", scope: "all", status: "active", sector: "", tag: "", sort: "recent", page: 0, ...params };
    asked.page = Number(asked.page) || 0;
    const ask = lastOf();
    let rows = []; // what is on the page, in order
    let chosen = 0;
    let known = null; // id and version of what was there before, to mark what is new
    const list = h("ul", { class: "rows", "aria-label": "Memories" });
    const summary = h("p", { class: "summary" });
    const pager = h("div", { class: "pager" });
    const search = h("input", { type: "search", placeholder: "Search as recall does…", "aria-label": "Search memories", autocomplete: "off", spellcheck: "false", value: asked.q });
    search.addEventListener("input", later(TYPING_MS, () => { asked.q = search.value.trim(); asked.page = 0; chosen = 0; load(); }));
    search.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); focus(0); } });
    const filters = h("div", { class: "filters" });
    show(main, h("h1", { class: "unseen" }, "Memories"), h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, search, h("kbd", {}, "/")), filters),
      h("div", { class: "above" }, summary, pager), list);

    function drawFilters() {
      const set = (name) => (value) => { asked[name] = value; asked.page = 0; chosen = 0; load(); };
      const searching = Boolean(asked.q);
      const all = [["", "all"], ...ctx.start.tags.map((t) => [t.tag, `${t.tag} (${t.count})`])];
      if (asked.tag && !ctx.start.tags.some((t) => t.tag === asked.tag)) all.push([asked.tag, asked.tag]);
      show(filters,
        select("Scope", [["all", "all"], ["project", "project"], ["workspace", "workspace"], ["global", "global"]], asked.scope, set("scope")),
        select("Status", [["active", "active"], ["archived", "archived"], ["superseded", "superseded"], ["all", "all"]], searching ? "active" : asked.status, set("status"), searching),
        select("Sector", [["", "all"], ...ctx.start.sectors.map((x) => [x, x])], asked.sector, set("sector")),
        select("Tag", all, asked.tag, set("tag")),
        select("Order", searching ? [["", "score"]] : [["recent", "newest"], ["salience", "salience"], ["retention", "retention"], ["accessed", "last recalled"]], asked.sort, set("sort"), searching));
    }

    async function load({ quiet = false } = {}) {
      ctx.note({ ...asked, scope: asked.scope === "all" ? "" : asked.scope, status: asked.status === "active" ? "" : asked.status,
        sort: asked.sort === "recent" ? "" : asked.sort, page: asked.page || "" });
      try {
        if (asked.q) await recall(quiet); else await browse(quiet);
      } catch (error) {
        if (!gone(error)) show(list, h("li", {}, failure(error)));
      }
    }

    async function browse(quiet) {
      const found = await ask("list", { project: ctx.project, scope: asked.scope, status: asked.status, sort: asked.sort, sector: asked.sector, tags: asked.tag, limit: PAGE,
        offset: asked.page * PAGE });
      if (!found.memories.length && asked.page) { asked.page = 0; return browse(quiet); }
      drawFilters();
      const last = asked.page * PAGE + found.memories.length;
      show(summary, h("strong", {}, many(found.total, "memory", "memories")), last > 0 && found.total > PAGE && ` · ${asked.page * PAGE + 1} to ${last}`);
      drawPager(found.total);
      drawRows(found.memories.map((m) => [m, null]), quiet);
      if (!found.total) show(list, h("li", {}, nothing()));
      return undefined;
    }

    async function recall(quiet) {
      const found = await ask("why", { project: ctx.project, query: asked.q, limit: PAGE, budget_tokens: 5000, tags: asked.tag, scopes: asked.scope === "all" ? "" : asked.scope });
      drawFilters();
      const fits = found.candidates.filter((c) => !asked.sector || leading(c.sectors) === asked.sector);
      const top = fits.filter((c) => c.gate === "recalled");
      const all = fits.filter((c) => c.gate !== "recalled");
      const held = all.slice(0, HELD);
      show(summary, h("strong", {}, `${top.length} recalled`), ` of ${many(found.rows, "memory", "memories")} searched`,
        all.length > 0 && ` · ${all.length} held back${all.length > HELD ? `, the best ${HELD} shown` : ""}`, " ", h("a", { href: ctx.link("why", { q: asked.q }) }, "take it apart"));
      show(pager);
      drawRows([...top.map((m) => [m, found.candidates[0].score]), ...held.map((m) => [m, found.candidates[0].score])], quiet, top.length);
      if (!fits.length) show(list, h("li", {}, empty("Nothing like it is stored here", found.note)));
      say(`${top.length} recalled`);
    }

    function drawPager(total) {
      const pages = Math.ceil(total / PAGE);
      const turn = (by) => () => { asked.page += by; chosen = 0; load(); window.scrollTo(0, 0); };
      show(pager, pages > 1 && [iconButton("Page before", "left", asked.page > 0 ? turn(-1) : undefined), h("span", {}, `${asked.page + 1} / ${pages.toLocaleString()}`),
        iconButton("Page after", "right", asked.page < pages - 1 ? turn(1) : undefined)]);
    }

    function drawRows(entries, quiet, recalled = -1) {
      const held = quiet && list.contains(document.activeElement);
      const before = known;
      known = new Map(entries.map(([m]) => [m.id, m.version]));
      rows = entries.map(([m]) => m);
      chosen = Math.min(chosen, Math.max(0, rows.length - 1));
      show(list, entries.map(([m, best], i) => [
        recalled >= 0 && i === recalled && h("li", { class: "divider" }, recalled ? "Held back" : "Nothing passes the floor; nearest misses"),
        row(m, best, i, quiet && before && before.get(m.id) !== m.version)]));
      if (held) focus(chosen);
    }

    function row(m, best, i, fresh) {
      const held = best !== null && m.gate !== "recalled";
      return h("li", { class: `row ${m.status} ${held ? "held" : ""} ${fresh ? "fresh-row" : ""}`, tabindex: i === chosen ? "0" : "-1", "data-id": m.id,
        onfocus: () => { chosen = i; for (const other of list.querySelectorAll(".row")) other.tabIndex = other.dataset.id === m.id ? 0 : -1; },
        onclick: (event) => { if (!event.target.closest("button, a") && !String(getSelection())) ctx.open(m.id); } },
        h("div", { class: "row-left" }, best === null ? retention(m.retention) : score(m, best)),
        h("div", { class: "row-main" }, h("p", { class: "content" }, m.content), about(m)),
        h("div", { class: "row-right" }, sectorStrip(m.sectors), h("span", { class: "lead-sector" }, leading(m.sectors)), importance(m.importance)),
        h("div", { class: "row-deeds" }, deeds(m)));
    }

    function score(m, best) {
      return h("div", { class: "scored" }, h("span", { class: "figure" }, two(m.score)), stack(m.why, m.score, best),
        m.gate !== "recalled" && h("span", { class: "hint" }, GATES[m.gate]));
    }

    function deeds(m) {
      const { pin, reinforce, archive, restore, edit, erase } = ctx.deeds;
      if (m.status !== "active") return [iconButton("Restore", "restore", () => restore(m), { key: "a" }), iconButton("Erase", "erase", () => erase(m), { key: "x" })];
      return [iconButton("Edit", "edit", () => edit(m), { key: "e" }), iconButton(m.pinned ? "Unpin" : "Pin", "pin", () => pin(m), { pressed: m.pinned, key: "p" }),
        iconButton(`Reinforce, retention now ${percent(m.retention)}`, "helpful", () => reinforce(m), { key: "r" }),
        iconButton("Archive", "archive", () => archive(m), { key: "a" }), iconButton("Erase", "erase", () => erase(m), { key: "x" })];
    }

    function nothing() {
      const filtered = asked.scope !== "all" || asked.status !== "active" || asked.sector || asked.tag;
      if (filtered) {
        return empty("Nothing fits these filters", button("Show all that is active", () => { Object.assign(asked, { scope: "all", status: "active", sector: "", tag: "" }); load(); }));
      }
      return empty("Nothing is remembered here yet", "A memory is one statement worth keeping: a decision, a preference, a fix, a fact. Your agent stores them while you work, or you do:",
        command('mnemos store "We deploy on Tuesdays, after the smoke test"'), "What any program stores appears here within a second.");
    }

    function focus(i) {
      const node = list.querySelectorAll(".row")[i];
      if (!node) return false;
      chosen = i;
      node.focus();
      node.scrollIntoView({ block: "nearest" });
      return true;
    }

    function key(event) {
      const m = rows[chosen];
      const { pin, reinforce, archive, restore, edit, erase } = ctx.deeds;
      const inside = list.contains(document.activeElement);
      switch (event.key) {
        case "j": case "ArrowDown": return event.key === "j" || inside ? focus(inside ? Math.min(chosen + 1, rows.length - 1) : chosen) : false;
        case "k": case "ArrowUp": return event.key === "k" || inside ? focus(Math.max(chosen - (inside ? 1 : 0), 0)) : false;
        case "Enter": return inside && m && document.activeElement.classList.contains("row") ? (ctx.open(m.id), true) : false;
        case "e": return m?.status === "active" ? (edit(m), true) : false;
        case "p": return m?.status === "active" ? (pin(m), true) : false;
        case "r": return m?.status === "active" ? (reinforce(m), true) : false;
        case "a": return m ? (m.status === "active" ? archive(m) : restore(m), true) : false;
        case "x": return m ? (erase(m), true) : false;
        default: return false;
      }
    }

    drawFilters();
    load();
    return { refresh: () => load({ quiet: true }), key };
  },
};
