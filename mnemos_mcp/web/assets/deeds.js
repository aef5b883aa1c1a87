// What a person can do to a memory. Everything but erasing can be undone at once.
import { post } from "./api.js";
import { h, byId } from "./dom.js";
import { percent } from "./format.js";
import { confirmErase, editing } from "./dialogs.js";

const SHOWN_MS = 9000;
let latest = null;

/** A message at the edge of the page, with a way back where there is one. */
export function toast(text, undo = null, { bad = false } = {}) {
  const note = h("div", { class: `toast ${bad ? "bad" : ""}`, role: bad ? "alert" : undefined }, h("span", {}, text));
  const close = () => { note.remove(); if (latest === back) latest = null; };
  const back = undo && (async () => { close(); await attempt(undo); });
  if (back) {
    note.append(h("button", { type: "button", onclick: back }, "Undo"));
    latest = back;
  }
  byId("toasts").append(note);
  setTimeout(close, SHOWN_MS);
}

export const undoLatest = () => latest?.();

export async function attempt(work) {
  try { return await work(); } catch (error) { toast(error.message, null, { bad: true }); return null; }
}

export function deedsFor(project, done) {
  const at = (body) => ({ ...body, project });
  const signal = (m, name) => post("reinforce", at({ id: m.id, signal: name }));
  const run = (work) => attempt(async () => { await work(); done(); });

  async function pin(m) {
    await run(async () => {
      await signal(m, m.pinned ? "unpin" : "pin");
      toast(m.pinned ? "Unpinned: it fades again." : "Pinned: it never fades.", async () => { await signal(m, m.pinned ? "pin" : "unpin"); done(); });
    });
  }

  async function reinforce(m) {
    await run(async () => {
      const reply = await signal(m, "helpful");
      toast(`Reinforced: retention ${percent(reply.retention.before)} → ${percent(reply.retention.after)}; it fades more slowly now.`);
    });
  }

  async function archive(m) {
    await run(async () => {
      await post("forget", at({ id: m.id }));
      toast("Archived: it is out of recall.", async () => { await signal(m, "restore"); done(); });
    });
  }

  async function restore(m) {
    await run(async () => {
      await signal(m, "restore");
      toast("Restored.", async () => { await post("forget", at({ id: m.id })); done(); });
    });
  }

  async function erase(m) {
    if (!await confirmErase(m)) return false;
    let gone = false;
    await run(async () => {
      const proof = await post("forget", at({ id: m.id, erase: true }));
      const rows = Object.values(proof.rows || {}).reduce((a, b) => a + b, 0);
      gone = true;
      toast(`Erased: ${rows} rows removed, ${proof.bytes_found ?? 0} bytes found afterwards.`);
    });
    return gone;
  }

  /** An edit is a new memory that supersedes the old one: the old text stays in the timeline, and undo brings it back. */
  async function edit(m) {
    let after = null;
    await editing(m, async (changes) => {
      const reply = await post("store", at({ content: changes.content, scope: m.scope, key: changes.key, tags: changes.tags, role: m.role,
        importance: changes.importance, pinned: m.pinned, supersedes: [m.id], force: true }));
      if (!reply.stored) throw new Error(`Not kept: ${reply.reason}`);
      after = reply.id;
      toast("Edited: the former text stays in its timeline.", async () => {
        await post("forget", at({ id: reply.id }));
        await signal(m, "restore");
        done();
      });
      done();
    });
    return after;
  }

  return { pin, reinforce, archive, restore, erase, edit };
}
