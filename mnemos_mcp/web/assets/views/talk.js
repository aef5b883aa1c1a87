// A turn of talk: what was recalled, what was said, and what the turn changed. Without a model it is recall only, and says so.
import { post } from "../api.js";
import { h, say, show } from "../dom.js";
import { two } from "../format.js";
import { attempt } from "../deeds.js";
import { chip, command, empty, heading } from "../parts.js";
import { stack } from "../charts/stack.js";

const session = `web-${Math.random().toString(36).slice(2, 10)}`;
const turns = []; // of this page; gone with it
let before = [];

export default {
  name: "talk", title: "Talk", about: "Ask, and see what is recalled and changed", draw(main, params, ctx) {
    const model = ctx.start.model;
    const log = h("ol", { class: "talk", "aria-live": "polite", "aria-label": "Talk" });
    const box = h("textarea", { rows: 2, placeholder: model ? "Ask, or tell it something…" : "Ask something…", "aria-label": "Message", maxlength: 4000 });
    const send = h("button", { type: "submit", class: "primary" }, model ? "Send" : "Recall");
    const form = h("form", { class: "ask" }, box, send);
    form.addEventListener("submit", (event) => { event.preventDefault(); say_(box.value); });
    box.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); } });
    show(main, heading("Talk", model ? `Answers come from ${model}, from what is recalled. What you tell it passes the gate like anything else.` : ""),
      !model && h("div", { class: "note" }, h("p", {}, "No model is configured, so this page recalls and does not answer. Everything else of mnemos works without one. To be answered, start it with:"),
        command("MNEMOS_LLM_PROVIDER=ollama MNEMOS_LLM_MODEL=qwen3:8b mnemos ui")),
      log, form);
    draw();

    function draw() {
      show(log, turns.length ? turns.map(turn) : h("li", {}, empty("Nothing said yet", model ? "You will see which memories an answer rests on, and what the turn changed: kept, superseded, reinforced." : "You will see what an agent would be given for these words, each with the parts of its score.")));
    }

    async function say_(text) {
      const message = text.trim();
      if (!message) return;
      box.value = "";
      const mine = { message, waiting: true };
      turns.push(mine);
      draw();
      form.scrollIntoView({ block: "nearest" });
      send.disabled = true;
      const reply = await attempt(() => post("talk", { message, project: ctx.project, session, before }));
      send.disabled = false;
      Object.assign(mine, { waiting: false, reply });
      if (reply?.answer) before = [...before, ["user", message], ["assistant", reply.answer]].slice(-6);
      draw();
      say(reply?.answer || `${reply?.recalled.length || 0} recalled`);
      box.focus();
    }

    function turn(t) {
      const r = t.reply;
      return h("li", {}, h("p", { class: "you" }, t.message), t.waiting && h("p", { class: "hint" }, model ? "recalling and thinking…" : "recalling…"),
        r?.answer && h("p", { class: "answer" }, r.answer), r?.note && model && h("p", { class: "note" }, r.note), r && recalled(r), r?.stored && changed(r));
    }

    function recalled(r) {
      const best = r.recalled[0]?.score || 1;
      const used = new Set(r.reinforced.map((x) => x.id));
      return h("details", { class: "recalled", open: !r.answer }, h("summary", {}, r.recalled.length ? `${r.recalled.length} recalled` : "nothing recalled"), r.recall_note && h("p", { class: "hint" }, r.recall_note),
        h("ol", { class: "weighed" }, r.recalled.map((m) => h("li", {}, h("div", { class: "recall-line" }, h("span", { class: "figure" }, two(m.score)), stack(m.why, m.score, best),
          h("button", { type: "button", class: "link content", onclick: () => ctx.open(m.id) }, m.content), used.has(m.id) && chip("used", "good"))))));
    }

    function changed(r) {
      const what = r.stored;
      return h("p", { class: "changed" }, h("strong", {}, "This turn: "), what.stored ? `your message was kept (${what.outcome})` : `your message was not kept (${what.outcome}: ${what.reason})`,
        what.superseded?.length ? `; it supersedes ${what.superseded.length}` : "", r.reinforced.length ? `; ${r.reinforced.length} reinforced because the answer rests on them` : "", what.id && [" ", h("button", { type: "button", class: "link", onclick: () => ctx.open(what.id) }, "open")]);
    }

    return {};
  },
};
