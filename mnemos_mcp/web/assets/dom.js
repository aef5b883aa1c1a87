// Elements out of values. Content only ever becomes text: nothing on this page is parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, kids) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, kids);
  return node;
}

export function add(node, kids) {
  for (const kid of kids.flat(Infinity)) {
    if (kid === undefined || kid === null || kid === false || kid === "") continue;
    node.append(kid instanceof Node ? kid : document.createTextNode(String(kid)));
  }
  return node;
}

export const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
export const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);

const REACHED = "button, a[href], input, select, textarea, summary, [tabindex]";
const label = (node) => `${node.tagName} ${node.getAttribute("aria-label") || (node.closest("label")?.firstElementChild || node).textContent}`;

/** New contents. Who had the keyboard on a piece of the old ones has it on the same piece of the new ones, as far as it is still there. */
export function show(node, ...kids) {
  const held = node.contains(document.activeElement) && node !== document.activeElement ? document.activeElement : null;
  const at = held ? [...node.querySelectorAll(REACHED)].indexOf(held) : -1;
  const name = at < 0 ? "" : label(held);
  node.replaceChildren();
  add(node, kids);
  if (at >= 0) {
    const alike = [...node.querySelectorAll(REACHED)].map((one, i) => [Math.abs(i - at), one]).filter(([, one]) => label(one) === name);
    alike.sort((a, b) => a[0] - b[0])[0]?.[1].focus({ preventScroll: true });
  }
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Say something to screen readers. */
export function say(text) {
  byId("said").textContent = text;
}

export function later(wait, work) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), wait);
  };
}
