// A score as a bar of its signals: the parts stand side by side and are as long, together, as the score.
import { h } from "../dom.js";
import { two } from "../format.js";

export const parts = (why) => Object.entries(why).filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);

/** `scale`: the score that fills the whole width. */
export function stack(why, score, scale = 1) {
  const said = parts(why).map(([name, share]) => `${name} ${two(share)}`).join(" + ");
  return h("span", { class: "stack", role: "img", "aria-label": `score ${two(score)}: ${said}`, title: said, "data-score": score },
    parts(why).map(([name, share]) => h("span", { class: `c-${name}`, "data-share": share, "data-signal": name, style: { width: `${(100 * share) / (scale || 1)}%` } })));
}

export function legend(names) {
  return h("ul", { class: "legend", "aria-label": "Signals" }, names.map((name) => h("li", {}, h("span", { class: `swatch c-${name}` }), name)));
}
