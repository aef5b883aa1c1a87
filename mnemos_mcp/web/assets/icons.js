// Small line icons on a 20 x 20 grid.
import { s } from "./dom.js";

const PATHS = {
  memories: "M4 5h12M4 10h12M4 15h8", why: "M4 15V9M8 15V4M12 15v-4M16 15V7", timeline: "M3 10h14M6 7v6M11 7v6M15.5 7v6",
  health: "M3 11h3l2-5 3 9 2-4h4", forgetting: "M3 4c2 9 7 11 14 11.5", sleep: "M15.5 12.2A6.5 6.5 0 0 1 7.8 4.5a6.5 6.5 0 1 0 7.7 7.7z",
  talk: "M4 5h12v8H9l-3.5 3v-3H4z", graph: "M6 6l8 3M6 6l2 9M14 9l-6 6",
  edit: "M4 16l1-4 8-8 3 3-8 8z", pin: "M7 3.5h6M8 3.5v5L5.5 12h9L12 8.5v-5M10 12v5", helpful: "M10 16V5M5.5 9.5L10 5l4.5 4.5",
  archive: "M3.5 5h13v3h-13zM5 8v8h10V8M8 11h4", restore: "M4 10a6 6 0 1 0 2-4.5M6 2.5v3h3", erase: "M5 6h10M8 6V4h4v2M6 6l.8 10h6.4L14 6",
  close: "M5 5l10 10M15 5L5 15", sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18M4.3 4.3l1.2 1.2M14.5 14.5l1.2 1.2M4.3 15.7l1.2-1.2M14.5 5.5l1.2-1.2",
  moon: "M15.5 12.2A6.5 6.5 0 0 1 7.8 4.5a6.5 6.5 0 1 0 7.7 7.7z", left: "M12 5l-5 5 5 5", right: "M8 5l5 5-5 5",
};

export const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: PATHS[name] }),
  name === "graph" && [[6, 6], [14, 9], [8, 15]].map(([x, y]) => s("circle", { cx: x, cy: y, r: 2, class: "full" })));
