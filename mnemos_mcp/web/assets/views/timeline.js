// What was true when: the chain of a topic on a time axis, with the words that changed marked.
import { get, gone, lastOf } from "../api.js";
import { h, later, say, show } from "../dom.js";
import { ago, day, many, moment } from "../format.js";
import { chip, command, empty, failure, heading } from "../parts.js";
import { marked } from "../words.js";

const TYPING_MS = 250;

export default {
  name: "timeline", title: "Timeline", about: "What was true when", draw(main, params, ctx) {
    const asked = { key: params.key || "", id: params.id || "", q: params.q || "" };
    const ask = lastOf();
    const body = h("div", { class: "timeline-body" });
    const topics = h("nav", { class: "topics", "aria-label": "Topics that changed" });
    const search = h("input", { type: "search", placeholder: "A topic, in your words…", "aria-label": "Topic", value: asked.q || asked.key, autocomplete: "off", spellcheck: "false" });
    search.addEventListener("input", later(TYPING_MS, () => { Object.assign(asked, { q: search.value.trim(), key: "", id: "" }); load(); }));
    show(main, heading("Timeline", "A fact that changes is superseded, never lost. What holds now stands at the end of its chain."),
      h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, search, h("kbd", {}, "/"))), h("div", { class: "side-by-side" }, topics, body));

    async function suggest() {
      try {
        const found = (await get("topics", { project: ctx.project })).topics;
        show(topics, found.length > 0 && h("h2", {}, "What has changed"), h("ul", {}, found.map((m) => h("li", {}, h("button", { type: "button",
          "aria-current": (asked.key && asked.key === m.key) || asked.id === m.id ? "true" : undefined,
          onclick: () => { Object.assign(asked, m.key ? { key: m.key, id: "", q: "" } : { id: m.id, key: "", q: "" }); search.value = m.key || ""; load(); suggest(); } },
        h("strong", {}, m.key || "no topic name"), h("span", {}, m.content))))));
        if (!asked.key && !asked.id && !asked.q && found.length) { Object.assign(asked, found[0].key ? { key: found[0].key } : { id: found[0].id }); search.value = found[0].key || ""; load(); suggest(); }
        if (!found.length && !asked.q && !asked.id) show(body, teach());
      } catch (error) { show(topics, failure(error)); }
    }

    async function load() {
      ctx.note(asked);
      const by = asked.id ? { id: asked.id } : asked.key ? { key: asked.key } : asked.q ? { query: asked.q } : null;
      if (!by) return show(body, teach());
      try { draw(await ask("timeline", { ...by, project: ctx.project })); } catch (error) { if (!gone(error)) show(body, failure(error)); }
      return undefined;
    }

    function teach() {
      return empty("Nothing has changed yet", "Give a fact a topic, and a new value supersedes the old one. Both stay here, each with the time in which it was true:",
        command('mnemos store --key staging-server "The staging server is heron"\nmnemos store --key staging-server "The staging server is ibis"'));
    }

    function draw(found) {
      const turns = found.turns;
      if (!turns.length) return show(body, empty("Nothing is known about this", "Try other words, or pick a topic that has changed."));
      const first = turns[0].valid_from;
      const last = Math.max(Date.now() / 1000, ...turns.map((t) => t.valid_to || t.valid_from));
      say(many(turns.length, "state"));
      return show(body, h("p", { class: "summary" }, h("strong", {}, found.subject), ` · ${many(turns.length, "state")} since ${day(first)}`),
        h("ol", { class: "turns" }, turns.map((t, i) => turn(t, turns[i - 1], turns[i + 1], first, last))));
    }

    function turn(t, before, after, first, last) {
      const crowded = [before, after].some((x) => x && day(x.valid_from) === day(t.valid_from));
      const when = (at) => (crowded ? moment(at) : day(at)); // states of one day are told apart by the hour
      const holds = t.valid_to === null && t.status === "active";
      const end = t.valid_to ?? last;
      const width = Math.max(1, last - first);
      return h("li", { class: `turn ${holds ? "holds" : ""} ${t.status}`, "data-id": t.id },
        h("div", { class: "when" }, h("time", { datetime: new Date(t.valid_from * 1000).toISOString() }, when(t.valid_from)), h("span", {}, t.valid_to ? `until ${when(t.valid_to)}` : t.status === "archived" ? "archived" : "until now")),
        h("div", { class: "axis", role: "img", "aria-label": `true from ${when(t.valid_from)} ${t.valid_to ? `until ${when(t.valid_to)}` : "until now"}` },
          h("span", { style: { left: `${(100 * (t.valid_from - first)) / width}%`, width: `${Math.max(0.8, (100 * (end - t.valid_from)) / width)}%` } })),
        h("div", { class: "said" },
          h("p", { class: "content" }, before ? marked(t.content, before.content, "new") : after ? marked(t.content, after.content, "gone") : t.content),
          h("p", { class: "about" }, holds ? chip("holds now", "good") : chip(t.status, t.status), t.version > 1 && h("span", {}, `version ${t.version}`),
            t.reason && h("span", {}, t.reason), h("span", {}, t.valid_to ? `held for ${span(t.valid_to - t.valid_from)}` : `for ${span(last - t.valid_from)}`),
            h("button", { type: "button", class: "link", onclick: () => ctx.open(t.id) }, "open"))));
    }

    const span = (seconds) => ago(0, seconds).replace(" ago", "").replace("just now", "moments");

    suggest();
    if (asked.key || asked.id || asked.q) load();
    return { refresh() { suggest(); load(); } };
  },
};
