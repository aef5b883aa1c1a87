// The routes of this page. Whatever goes wrong comes as an Error with a sentence for the person.
async function answer(response) {
  let value = null;
  try { value = await response.json(); } catch (_) { /* a plain refusal */ }
  if (response.ok && value !== null) return value;
  if (response.status === 403) throw new Error("This browser is no longer let in: run `mnemos ui` again and open the address that it prints.");
  throw new Error(value?.error?.message || `The page's server answered with ${response.status}.`);
}

async function reached(request) {
  try { return await request; } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The page's server does not answer: is `mnemos ui` still running?");
  }
}

export async function get(name, params = {}, signal = undefined, line = "") {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== "" && one !== null && one !== undefined) query.append(key, one);
  }
  return answer(await reached(fetch(`api/${name}?${query}`, { signal, headers: line ? { "x-mnemos-line": line } : {} })));
}

export async function post(name, body) {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  return answer(await reached(fetch(`api/${name}`, { method: "POST", body: JSON.stringify(given) })));
}

/** Only the last of several questions counts: the ones before are given up, and the server does not begin what waits behind them. */
export function lastOf() {
  const line = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join("");
  let flying = null;
  return async (name, params) => {
    flying?.abort();
    flying = new AbortController();
    return get(name, params, flying.signal, line);
  };
}

export const gone = (error) => error.name === "AbortError";

/** Calls `changed` when any process has committed; `state` hears of the line itself. */
export function follow(changed, state) {
  const line = new EventSource("api/live");
  line.addEventListener("hello", () => state(true));
  line.addEventListener("changed", changed);
  line.addEventListener("error", () => state(false));
  return line;
}
