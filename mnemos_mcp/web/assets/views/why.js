// A recall taken apart: what was weighed, what each score is made of, which gate held what, how energy ran, and what fitted the budget.
import { gone, lastOf } from "../api.js";
import { h, later, say, show } from "../dom.js";
import { day, isoDay, many, percent, two } from "../format.js";
import { about, command, empty, failure, heading, select } from "../parts.js";
import { legend, parts, stack } from "../charts/stack.js";
import { net } from "../charts/net.js";

const TYPING_MS = 120;
const DAY = 86400;
const SHOWN = 12; // of each group before "more"
const WEAK = 0.35; // score
const BUDGETS = [300, 1000, 2000, 5000];
const MEANS = {
  semantic: "likeness of meaning", keyword: "shared words, times, numbers and names", context: "what stands next to it in its session", importance: "how much it matters",
  activation: "energy from memories tied to it", recency: "how lately it held or was used", sector: "the kind of memory that the question asks for",
  affect: "likeness of mood", salience: "importance × retention", frequency: "how often it was used", coactivation: "recalled together before",
};

export default {
  name: "why", title: "Why", about: "A recall taken apart", draw(main, params, ctx) {
    const asked = { q: params.q || "", as_of: params.as_of || "", budget: params.budget || "2000", limit: params.limit || "8" };
    const ask = lastOf();
    const opened = new Set();
    let best = 1;
    const body = h("div", { class: "why-body", "aria-busy": "false" });
    const question = h("input", { type: "search", placeholder: "Ask as an agent would: which database do we use, and why?", "aria-label": "Question", value: asked.q, autocomplete: "off",
      spellcheck: "false" });
    question.addEventListener("input", later(TYPING_MS, () => { asked.q = question.value.trim(); load(); }));
    const time = h("div", { class: "asof" });
    const choices = h("div", { class: "filters" },
      select("Budget", BUDGETS.map((b) => [String(b), `${b.toLocaleString()} tokens`]), asked.budget, (v) => { asked.budget = v; load(); }),
      select("At most", ["3", "8", "20", "50"].map((n) => [n, n]), asked.limit, (v) => { asked.limit = v; load(); }));
    show(main, heading("Why", "Type a question and see what a recall does with it. Looking leaves no trace: nothing is counted or reinforced."),
      h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, question, h("kbd", {}, "/")), choices), time, body);
    slider();

    function slider() {
      const first = ctx.start.since;
      const last = ctx.start.now;
      if (!first || last - first < DAY) return show(time);
      const days = Math.ceil((last - first) / DAY);
      const given = asked.as_of ? Math.round((Date.parse(asked.as_of) / 1000 - first) / DAY) : days;
      const said = h("output", {}, label());
      const range = h("input", { type: "range", id: "asof", min: 0, max: days, step: 1, value: String(Math.max(0, Math.min(days, given))), "aria-label": "As of", "aria-valuetext": label() });
      const go = later(80, load);
      range.addEventListener("input", () => {
        const at = Number(range.value);
        asked.as_of = at >= days ? "" : `${isoDay(first + at * DAY)}T23:59:59Z`;
        said.textContent = label();
        range.setAttribute("aria-valuetext", label());
        go();
      });
      function label() { return asked.as_of ? `as it was on ${day(Date.parse(asked.as_of) / 1000)}` : "as it is now"; }
      return show(time, h("label", { for: "asof" }, "As of"), h("span", { class: "hint" }, day(first)), range, h("span", { class: "hint" }, "now"), said);
    }

    async function load() {
      ctx.note({ ...asked, budget: asked.budget === "2000" ? "" : asked.budget, limit: asked.limit === "8" ? "" : asked.limit });
      if (!asked.q) return show(body, teach());
      body.setAttribute("aria-busy", "true");
      try {
        const found = await ask("why", { project: ctx.project, query: asked.q, as_of: asked.as_of, budget_tokens: asked.budget, limit: asked.limit });
        draw(found);
        body.setAttribute("aria-busy", "false");
      } catch (error) { if (!gone(error)) show(body, failure(error)); }
      return undefined;
    }

    function teach() {
      const some = ["which database do we use and why", "when may I deploy", "what went wrong last time", "how long does bread rise"];
      return empty("Ask something", "You will see every candidate with its score as a bar of signals, what the floor held back, what packing left out, and the way energy spread. Try:",
        h("p", { class: "tries" }, some.map((q) => h("button", { type: "button", onclick: () => { question.value = q; asked.q = q; load(); } }, q))),
        "The same in a terminal:", command('mnemos why "which database do we use"'));
    }

    function draw(found) {
      best = found.candidates[0]?.score || 1;
      const by = (gate) => found.candidates.filter((c) => c.gate === gate);
      const recalled = found.recalled.map((id) => found.candidates.find((c) => c.id === id));
      const scale = Math.max(found.candidates[0]?.score || 0, WEAK); // where the best is weak, it looks weak
      const met = new Set(found.candidates.flatMap((c) => parts(c.why).map(([name]) => name)));
      const used = Object.keys(MEANS).filter((name) => met.has(name));
      say(`${recalled.length} recalled of ${found.candidates.length} candidates`);
      show(body, funnel(found, by),
        found.note && h("p", { class: "note" }, found.note),
        used.length > 0 && legend(used),
        group("Recalled", "", recalled, scale, "recalled"),
        h("div", { class: "two" }, budget(found, recalled), spread(found)),
        group("Left out by packing", "too like a chosen one, over the budget, or beyond the number asked for", by("packing"), scale, "packing"),
        group("Far below the best", "the recall has opened, but these score too little beside its best", by("trailing"), scale, "trailing"),
        group("Held by the floor", "too little speaks for an answer: evidence beside what is needed, both as log-odds", by("floor"), scale, "floor"));
    }

    function funnel(found, by) {
      const steps = [["searched", found.rows, "memories in scope and time"], ["weighed", found.candidates.length, "best by meaning, by words, and their neighbours"],
        ["passed", found.candidates.length - by("floor").length - by("trailing").length, "the floor"], ["recalled", found.recalled.length, `${found.tokens} of ${found.budget_tokens.toLocaleString()} tokens`]];
      return h("ol", { class: "funnel" }, steps.map(([name, n, what]) => h("li", {}, h("strong", {}, n.toLocaleString()), h("span", {}, name), h("span", { class: "hint" }, what))));
    }

    function group(title, means, all, scale, gate) {
      if (!all.length) return null;
      const list = h("ol", { class: `weighed ${gate}` }, all.slice(0, SHOWN).map((c) => weighed(c, scale)));
      const more = all.length > SHOWN && h("button", { type: "button", class: "link", onclick: (event) => { list.append(...all.slice(SHOWN).map((c) => weighed(c, scale))); event.target.remove(); } },
        `${all.length - SHOWN} more`);
      return h("section", { class: "group" }, h("h2", {}, title, h("span", { class: "count" }, String(all.length)), means && h("span", { class: "hint" }, means)), list, more);
    }

    function weighed(c, scale) {
      const detail = h("details", { open: opened.has(c.id), ontoggle: (event) => (event.target.open ? opened.add(c.id) : opened.delete(c.id)) },
        h("summary", {}, h("span", { class: "figure" }, two(c.score)), stack(c.why, c.score, scale), h("span", { class: "content" }, c.content),
          c.gate_reason && h("span", { class: "reason" }, reason(c))),
        apart(c));
      return h("li", { "data-id": c.id, "data-gate": c.gate }, detail);
    }

    function reason(c) {
      if (c.gate === "trailing") return `${percent(c.score / best)} of the best`;
      if (c.gate === "floor") {
        return c.evidence === null ? "reached by a tie only" : `evidence ${two(c.evidence)} of ${two(c.needed)}`;
      }
      return c.gate_reason;
    }

    function apart(c) {
      const rows = parts(c.why);
      return h("div", { class: "apart" },
        h("table", {}, h("caption", { class: "unseen" }, "Parts of the score"),
          h("tbody", {}, rows.map(([name, share]) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `swatch c-${name}` }), name), h("td", { class: "number" }, share.toFixed(3)),
            h("td", { class: "hint" }, MEANS[name] || "")))),
          h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "score"), h("td", { class: "number" }, c.score.toFixed(3)), h("td", { class: "hint" }, "their sum")))),
        h("p", { class: "hint" }, [c.cosine !== null && `cosine ${two(c.cosine)}`, `holds ${percent(c.coverage)} of the question's rare words`,
          c.evidence !== null && `evidence ${two(c.evidence)}, needed ${two(c.needed)}`, c.energy > 0 && `energy ${two(c.energy)}`, `${many(c.tokens, "token")}`,
          `retention ${percent(c.retention)}`].filter(Boolean).join(" · ")),
        about(c), h("button", { type: "button", class: "link", onclick: () => ctx.open(c.id) }, "Open this memory"));
    }

    function budget(found, recalled) {
      if (!recalled.length) return null;
      const share = (t) => (100 * t) / found.budget_tokens;
      return h("section", { class: "card" }, h("h2", {}, "Token budget"),
        h("div", { class: "budget", role: "img", "aria-label": `${found.tokens} of ${found.budget_tokens} tokens` },
          recalled.map((c, i) => h("span", { class: i % 2 ? "odd" : "", style: { width: `${share(c.tokens)}%` }, title: `${c.tokens} tokens: ${c.content.slice(0, 80)}` }))),
        h("p", { class: "hint" }, `${found.tokens.toLocaleString()} of ${found.budget_tokens.toLocaleString()} tokens (estimated); ${recalled.filter((c) => c.truncated).length} shortened`));
    }

    function spread(found) {
      const lit = found.candidates.filter((c) => c.energy > 0);
      if (lit.length < 2) return null;
      return h("section", { class: "card" }, h("h2", {}, "Spread of activation"),
        net(lit.map((c) => ({ id: c.id, text: c.content, energy: c.energy, on: c.gate === "recalled" })), found.edges, { open: ctx.open, height: 260, width: Math.min(body.clientWidth, 560) - 34 }),
        h("p", { class: "hint" }, "Energy 1.00 at the seeds, a fifth lost with every hop. Ringed: recalled."));
    }

    load();
    if (!asked.q) question.focus({ preventScroll: true });
    return { refresh: load };
  },
};
