// The frame: views by the address after '#', keys, live changes, theme, project.
import { follow, get } from "./api.js";
import { byId, h, say, show } from "./dom.js";
import { deedsFor, undoLatest } from "./deeds.js";
import { help } from "./dialogs.js";
import { icon } from "./icons.js";
import { closePanel, openId, openPanel } from "./panel.js";
import { failure } from "./parts.js";
import memories from "./views/memories.js";
import why from "./views/why.js";
import timeline from "./views/timeline.js";
import health from "./views/health.js";
import forgetting from "./views/forgetting.js";
import sleep from "./views/sleep.js";
import talk from "./views/talk.js";
import graph from "./views/graph.js";

const VIEWS = [memories, why, timeline, health, forgetting, sleep, talk, graph];
const PAUSE_MS = 450; // between two refreshes while another program writes on and on
let own = null; // the project where the page was started: it needs no name in the address
let view = null;
let drawn = null; // what the view gave back: refresh, key
let lastRefresh = 0;
let waiting = 0;

const ctx = {
  project: "", start: null, deeds: null,
  go(name, params = {}) { location.hash = address(name, params); },
  /** Keep what is asked in the address, so that reload and back work, without drawing again. */
  note(params) { history.replaceState(null, "", ctx.link(view.name, params)); },
  link(name, params = {}) { return `#${address(name, params)}`; },
  open: (id) => openPanel(id, ctx),
  changed() { refresh(); },
};

function address(name, params, project = ctx.project) {
  const query = new URLSearchParams(Object.entries({ ...params, project }).filter(([, value]) => value !== "" && value !== undefined && value !== null));
  return `${name}${query.size ? `?${query}` : ""}`;
}

/** View and parameters of the address; the project stands in it too, so that reload, back and a copied link keep it. */
function asked() {
  const [name, query] = location.hash.slice(1).split("?");
  const { project = "", ...params } = Object.fromEntries(new URLSearchParams(query || ""));
  return { name, project, params };
}

async function frame() {
  ctx.start = await get("start", { project: ctx.project });
  const place = ctx.start.project;
  if (!ctx.project) own = place.identity;
  const known = ctx.start.projects.slice();
  if (place.identity && !known.some((p) => p.identity === place.identity)) known.unshift({ identity: place.identity, name: place.name, memories: 0 });
  const names = known.map((p) => p.name);
  show(byId("project"), !place.identity && h("option", { value: "" }, "no project"), known.map((p) => h("option", { value: p.identity, selected: p.identity === place.identity,
    title: p.identity }, names.filter((n) => n === p.name).length > 1 ? `${p.name} (${p.identity.slice(-8)})` : p.name)));
  ctx.deeds = deedsFor(ctx.project, ctx.changed);
}

function draw() {
  const { name, params } = asked();
  const next = VIEWS.find((v) => v.name === name) || memories;
  drawn?.leave?.();
  view = next;
  for (const link of byId("nav").querySelectorAll("a")) {
    link.setAttribute("href", ctx.link(link.dataset.view));
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  byId("nav").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.title = `${view.title} · mnemos`;
  const main = byId("main");
  show(main);
  main.className = `view-${view.name}`;
  try { drawn = view.draw(main, params, ctx) || null; } catch (error) { show(main, failure(error)); drawn = null; }
  window.scrollTo(0, 0);
}

async function refresh() {
  const since = Date.now() - lastRefresh;
  clearTimeout(waiting);
  if (since < PAUSE_MS) { waiting = setTimeout(refresh, PAUSE_MS - since); return; }
  lastRefresh = Date.now();
  try { await frame(); } catch (_) { return; }
  drawn?.refresh?.();
  if (openId()) openPanel(openId(), ctx, { focus: false });
  byId("live-text").textContent = `updated ${new Date().toLocaleTimeString()}`;
}

function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName) || (target.tagName === "INPUT" && target.type !== "range"));
}

function key(event) {
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (typing(event.target)) event.target.blur(); else if (openId()) closePanel();
    return;
  }
  if (typing(event.target)) return;
  const taken = event.key === "/" ? (byId("main").querySelector("input[type=search]")?.focus(), true)
    : event.key === "?" ? (help(), true)
      : event.key === "u" ? (undoLatest(), true)
        : /^[1-8]$/.test(event.key) ? (ctx.go(VIEWS[event.key - 1].name), true)
          : drawn?.key?.(event);
  if (taken) event.preventDefault();
}

function theme() {
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const face = () => { show(byId("theme"), icon(dark() ? "sun" : "moon")); byId("theme").title = dark() ? "To light colours" : "To dark colours"; };
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch (_) { /* then it lasts as long as the page */ }
    face();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", face);
  face();
}

async function moved() {
  closePanel();
  const { project } = asked();
  if (project !== ctx.project) {
    ctx.project = project;
    try { await frame(); } catch (error) { show(byId("main"), failure(error)); return; }
    say(`Project ${ctx.start.project.name}`);
  }
  draw();
}

async function begin() {
  show(byId("nav"), h("ul", {}, VIEWS.map((v, i) => h("li", {}, h("a", { href: `#${v.name}`, "data-view": v.name, title: `${v.about} (${i + 1})` }, icon(v.name), h("span", {}, v.title))))));
  theme();
  byId("help").addEventListener("click", help);
  byId("project").addEventListener("change", (event) => {
    const { id, ids, key: topic, ...kept } = asked().params; // these name memories of one project
    location.hash = address(view.name, kept, event.target.value === own ? "" : event.target.value);
  });
  ctx.project = asked().project;
  try { await frame(); } catch (error) { show(byId("main"), failure(error)); return; }
  window.addEventListener("hashchange", moved);
  document.addEventListener("keydown", key);
  draw();
  follow(refresh, (up) => {
    byId("live").classList.toggle("up", up);
    byId("live-text").textContent = up ? "live" : "not connected";
  });
}

begin();
