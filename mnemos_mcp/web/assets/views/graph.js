// The neighbourhood of a memory, and the energy that a question sends through it.
import { get, gone, lastOf } from "../api.js";
import { h, later, say, show } from "../dom.js";
import { many, two } from "../format.js";
import { about, button, empty, failure, heading, select, unfolding } from "../parts.js";
import { net } from "../charts/net.js";

export default {
  name: "graph", title: "Graph", about: "Neighbours by likeness and joint recall", draw(main, params, ctx) {
    const asked = { id: params.id || "", hops: params.hops || "2", q: params.q || "" };
    const ask = lastOf();
    const unfolded = new Set();
    let found = null;
    let energy = {};
    const body = h("div", { class: "graph-body" });
    const search = h("input", { type: "search", placeholder: "Run a question and see its energy…", "aria-label": "Question", value: asked.q, autocomplete: "off", spellcheck: "false" });
    search.addEventListener("input", later(150, () => { asked.q = search.value.trim(); run(); }));
    show(main, heading("Graph", "Memories tie themselves: by likeness, by being recalled together, by standing side by side. Energy runs along ties and brings the neighbourhood of a recall."),
      h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, search, h("kbd", {}, "/")), h("div", { class: "filters" }, select("Reach", [["1", "1 hop"], ["2", "2 hops"], ["3", "3 hops"]], asked.hops, (v) => { asked.hops = v; load(); }))), body);

    async function load() {
      try {
        if (!asked.id) asked.id = await hub();
        ctx.note({ ...asked, hops: asked.hops === "2" ? "" : asked.hops });
        if (!asked.id) return show(body, empty("No ties yet", "Ties grow by themselves: when something alike is stored, and when memories are recalled together."));
        found = await get("graph", { id: asked.id, hops: asked.hops, project: ctx.project });
        draw();
      } catch (error) { if (asked.id && error.message.startsWith("No memory")) { asked.id = ""; return load(); } show(body, failure(error)); }
      return undefined;
    }

    /** Where to begin when nothing was chosen: the memory that was recalled last. */
    async function hub() {
      const last = (await get("list", { project: ctx.project, sort: "accessed", limit: 1 })).memories;
      return last[0]?.id || "";
    }

    async function run() {
      ctx.note(asked);
      if (!asked.q) { energy = {}; await load(); return; }
      try {
        const went = await ask("why", { project: ctx.project, query: asked.q });
        energy = Object.fromEntries(went.candidates.filter((c) => c.energy > 0).map((c) => [c.id, c.energy]));
        const lit = went.candidates.filter((c) => c.energy > 0 || c.gate === "recalled").slice(0, 40);
        say(`${lit.length} reached`);
        if (lit.length) { found = { memories: lit, edges: went.edges, recalled: new Set(went.recalled) }; draw(); } else show(body, empty("No energy", went.note || "Nothing is near enough to this question to start from."));
      } catch (error) { if (!gone(error)) show(body, failure(error)); }
    }

    function draw() {
      const first = asked.q ? "" : asked.id;
      const nodes = found.memories.map((m) => ({ id: m.id, text: m.content, energy: asked.q ? energy[m.id] || 0 : m.id === first ? 0.9 : 0.25, first: m.id === first, on: found.recalled?.has(m.id) }));
      const height = Math.min(560, 300 + nodes.length * 7);
      show(body, h("div", { class: "card" }, net(nodes, found.edges, { open: (id) => { asked.id = id; if (asked.q) ctx.open(id); else load(); }, height, width: body.clientWidth - 34 }),
        h("p", { class: "hint" }, asked.q ? "Size and colour are energy; ringed is what was recalled." : `${many(nodes.length, "memory", "memories")} within ${many(Number(asked.hops), "hop")}. Choose one to walk to it.`)),
      table(first));
    }

    /** The same as the picture, in words. */
    function table(first) {
      const named = new Map(found.memories.map((m) => [m.id, m]));
      const mine = found.edges.filter((e) => !first || e.a === first || e.b === first).sort((a, b) => b.weight - a.weight).slice(0, 30);
      const m = first && named.get(first);
      return h("section", { class: "card" }, m ? [h("h2", {}, "In the middle"), h("p", { class: "content" }, unfolding(m.content, unfolded, m.id)), about(m), h("div", { class: "buttons left" }, button("Open", () => ctx.open(m.id)))] : h("h2", {}, "Ties"),
        mine.length ? h("ul", { class: "plainlist" }, mine.map((e) => { const other = named.get(e.a === first ? e.b : e.a); return other && named.has(e.b) && h("li", {}, h("span", { class: "hint" }, e.kind === "coactivation" ? `recalled together ${Math.round(e.weight)}× ` : `${e.kind} ${two(e.weight)} `),
          !m && [link(named.get(e.a)), h("span", { class: "hint" }, " and ")], link(m ? other : named.get(e.b))); })) : h("p", { class: "hint" }, "It has no ties yet."));
    }

    function link(m) { return h("button", { type: "button", class: "link", onclick: () => ctx.open(m.id) }, m.content); }

    if (asked.q) run(); else load();
    return { refresh() { if (asked.q) run(); else load(); } };
  },
};
