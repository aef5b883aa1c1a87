// Retention ahead in time: the curves of chosen memories, what reinforcing does to them, and what goes to the archive when.
import { get } from "../api.js";
import { h, say, show } from "../dom.js";
import { ago, day, many, month, now, percent } from "../format.js";
import { button, empty, failure, heading, retention, select } from "../parts.js";
import { curves, months } from "../charts/curves.js";

const MOST = 6; // curves at once
const HORIZONS = [["30", "30 days"], ["90", "90 days"], ["365", "a year"], ["1095", "3 years"]];
const DAY = 86400;

export default {
  name: "forgetting", title: "Forgetting", about: "What fades, and when", draw(main, params, ctx) {
    const asked = { days: params.days || "365" };
    let ids = (params.ids || "").split(",").filter(Boolean);
    let chosen = ids[0] || "";
    const body = h("div", { class: "forgetting-body" });
    show(main, heading("Forgetting", "Retention halves with time, sooner for what matters less, later for what is used. Nothing is lost by it: what has faded goes to the archive at sleep."),
      h("div", { class: "filters" }, select("Ahead", HORIZONS, asked.days, (v) => { asked.days = v; load(); })), body);

    async function start() {
      if (!ids.length) {
        const weakest = await get("forgetting", { project: ctx.project, days: 3650 });
        const important = await get("list", { project: ctx.project, sort: "salience", limit: 2 });
        ids = [...new Set([...weakest.fading.slice(0, 3).map((m) => m.id), ...important.memories.map((m) => m.id)])].slice(0, MOST);
        chosen = ids[0] || "";
      }
      load();
    }

    async function load() {
      ctx.note({ ids: ids.join(","), days: asked.days === "365" ? "" : asked.days });
      try { draw(await get("forgetting", { project: ctx.project, ids: ids.join(","), days: asked.days })); } catch (error) {
        if (ids.length && error.message.startsWith("No memory")) { ids = []; chosen = ""; await start(); } else show(body, failure(error));
      }
    }

    function draw(found) {
      if (!found.curves.length) return show(body, empty("Nothing can fade yet", "Once something is remembered, its curve stands here."));
      const lines = found.curves.map((c, i) => ({ id: c.memory.id, text: c.memory.content, points: c.points, reinforced: c.reinforced, slot: i % MOST }));
      if (!lines.some((l) => l.id === chosen)) chosen = lines[0].id;
      const choose = (id) => { chosen = id; draw(found); };
      return show(body, h("div", { class: "side-by-side wide-left" },
        h("div", {}, h("div", { class: "card" }, curves(lines, { days: Number(asked.days), now: found.now, floor: ctx.start.faded_below, chosen, choose, room: Math.min(body.clientWidth, innerWidth < 821 ? body.clientWidth : body.clientWidth - 320) - 34 }),
          h("p", { class: "hint" }, "Dashed: the chosen memory, had it been of use just now.")), schedule(found)),
        h("ul", { class: "picked" }, found.curves.map((c, i) => picked(c, i % MOST, choose)))));
    }

    function picked(c, slot, choose) {
      const m = c.memory;
      const on = m.id === chosen;
      return h("li", { class: on ? "on" : "" },
        h("button", { type: "button", class: "pick", "aria-pressed": String(on), onclick: () => choose(m.id) }, h("span", { class: `swatch k${slot}` }), h("span", { class: "content" }, m.content)),
        retention(m.retention), h("p", { class: "hint" }, c.fades_at === null ? (m.pinned ? "pinned: it never goes" : "protected: it never goes") : `to the archive ${when(c.fades_at)}`),
        on && h("div", { class: "buttons left" },
          m.status === "active" && button("It helped", async () => { await ctx.deeds.reinforce(m); say("The curve has moved"); load(); }, { glyph: "helpful", title: "reinforce: the curve moves" }),
          m.status === "active" && button(m.pinned ? "Unpin" : "Pin", async () => { await ctx.deeds.pin(m); load(); }, { glyph: "pin" }),
          button("Open", () => ctx.open(m.id)), ids.length > 1 && button("Take off", () => { ids = ids.filter((i) => i !== m.id); load(); })),
        on && c.fades_at !== null && h("p", { class: "hint" }, `if it helps today: ${when(c.fades_at_reinforced)}`));
    }

    const when = (at) => (at <= now() ? "at the next sleep" : `${ago(at)}, ${day(at)}`);

    function schedule(found) {
      const going = found.fading;
      const counts = upcoming(found);
      if (!going.length) return h("section", { class: "card" }, h("h2", {}, "To the archive"), h("p", { class: "hint" }, `Nothing fades within ${HORIZONS.find(([d]) => d === asked.days)[1]}.`));
      return h("section", { class: "card" }, h("h2", {}, "To the archive", h("span", { class: "count" }, String(counts.reduce((sum, [, n]) => sum + n, 0)))), months(counts),
        h("ol", { class: "schedule" }, going.slice(0, 30).map((m) => h("li", {}, h("time", {}, m.fades_at <= found.now ? "next sleep" : day(m.fades_at)), h("span", { class: "content" }, m.content),
          h("span", { class: "figure" }, percent(m.retention)), button("Show", () => { ids = [m.id, ...ids.filter((i) => i !== m.id)].slice(0, MOST); chosen = m.id; load(); window.scrollTo(0, 0); })))),
        going.length > 30 && h("p", { class: "hint" }, `and ${many(going.length - 30, "more")}`.replace("mores", "more")));
    }

    /** Every month from now to the horizon, at most 36. */
    function upcoming(found) {
      const all = [];
      for (let at = new Date(found.now * 1000), end = new Date((found.now + Number(asked.days) * DAY) * 1000), i = 0; i < 36; i += 1) {
        const name = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + i, 1)).toISOString().slice(0, 7);
        if (name > end.toISOString().slice(0, 7)) break;
        all.push([i === 0 || name.endsWith("-01") ? month(name) : month(name).split(" ")[0], found.months[name] || 0]);
      }
      return all;
    }

    start().catch((error) => show(body, failure(error)));
    return { refresh: load };
  },
};
