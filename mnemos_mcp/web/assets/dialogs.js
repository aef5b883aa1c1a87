// Questions that hold the page: erase, edit, and the keys.
import { h } from "./dom.js";
import { button } from "./parts.js";

/** A modal dialog; resolves to what `close` was given, null when it was left. */
function ask(title, build) {
  return new Promise((resolve) => {
    const back = document.activeElement;
    const box = h("dialog", { class: "dialog", "aria-label": title });
    const close = (value) => { box.close(); box.remove(); back?.focus?.(); resolve(value); };
    box.addEventListener("cancel", (event) => { event.preventDefault(); close(null); });
    box.addEventListener("click", (event) => { if (event.target === box) close(null); });
    box.append(h("h2", {}, title), build(close));
    document.body.append(box);
    box.showModal();
    box.querySelector("[data-first]")?.focus();
  });
}

export function confirmErase(m) {
  return ask("Erase for good?", (close) => h("div", {},
    h("blockquote", {}, m.content),
    h("p", {}, "Its text, history, vectors, words in the index, episodes and traces in the log file are overwritten, and the file is searched for left-over bytes. It cannot be undone. ",
      "To take it out of recall only, archive it."),
    h("div", { class: "buttons" },
      h("button", { type: "button", "data-first": true, onclick: () => close(null) }, "Keep it"),
      button("Erase", () => close(true), { kind: "danger", glyph: "erase" }))));
}

const listed = (tags) => tags.split(",").map((t) => t.trim()).filter(Boolean);
const same = (changes, m) => changes.content === m.content.replace(/\r\n?/g, "\n").trim() && changes.key === m.key && changes.importance === "auto"
  && changes.tags.join() === listed(m.tags.join()).join();

/** The form of an edit. `save` is given the changes; its error is shown and the form stays. */
export function editing(m, save) {
  return ask("Edit", (close) => {
    const text = h("textarea", { rows: 6, "data-first": true, "aria-label": "Text", maxlength: 100000, required: true });
    text.value = m.content;
    text.setSelectionRange(0, 0);
    const key = h("input", { value: m.key, placeholder: "none", autocomplete: "off" });
    const tags = h("input", { value: m.tags.join(", "), placeholder: "none", autocomplete: "off" });
    const level = h("select", {}, [["auto", "judge it anew"], ["low", "low"], ["medium", "medium"], ["high", "high"]].map(([value, words]) => h("option", { value }, words)));
    const trouble = h("p", { class: "failure", role: "alert", hidden: true });
    const submit = h("button", { type: "submit", class: "primary" }, "Save");
    const form = h("form", { class: "edit" }, text,
      h("label", {}, h("span", {}, "Topic (one current value)"), key), h("label", {}, h("span", {}, "Tags"), tags), h("label", {}, h("span", {}, "Importance"), level),
      h("p", { class: "hint" }, "The new text is screened and judged like any other. The former text stays in its timeline; undo brings it back."), trouble,
      h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => close(null) }, "Cancel"), submit));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const changes = { content: text.value.trim(), key: key.value.trim(), tags: listed(tags.value), importance: level.value };
      if (same(changes, m)) { close(null); return; }
      submit.disabled = true;
      try {
        await save(changes);
        close(true);
      } catch (error) {
        trouble.hidden = false;
        trouble.textContent = error.message;
        submit.disabled = false;
      }
    });
    form.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(); });
    return form;
  });
}

const KEYS = [["/", "search"], ["j  k", "next, previous"], ["Enter", "open the memory"], ["e", "edit"], ["p", "pin or unpin"], ["r", "reinforce: it helped"],
  ["a", "archive or restore"], ["x", "erase (asks)"], ["u", "undo the last change"], ["1 … 8", "views"], ["Esc", "close, or leave the field"], ["?", "this list"]];

export function help() {
  return ask("Keys", (close) => h("div", {},
    h("dl", { class: "keys" }, KEYS.map(([key, what]) => [h("dt", {}, key.split(" ").filter(Boolean).map((k) => h("kbd", {}, k))), h("dd", {}, what)])),
    h("div", { class: "buttons" }, h("button", { type: "button", "data-first": true, onclick: () => close(null) }, "Close"))));
}
