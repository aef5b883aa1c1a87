// Numbers, moments and words for people.
const DAY = 86400;
const UNITS = [[365.25 * DAY, "year"], [30.44 * DAY, "month"], [7 * DAY, "week"], [DAY, "day"], [3600, "hour"], [60, "minute"]];

export const now = () => Date.now() / 1000;

export function ago(at, from = now()) {
  const away = Math.abs(from - at);
  for (const [seconds, unit] of UNITS) {
    if (away >= seconds) {
      const n = Math.floor(away / seconds);
      const words = `${n} ${unit}${n === 1 ? "" : "s"}`;
      return at <= from ? `${words} ago` : `in ${words}`;
    }
  }
  return "just now";
}

export const day = (at) => new Date(at * 1000).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
export const month = (text) => new Date(`${text}-01T00:00:00Z`).toLocaleDateString(undefined, { month: "short", year: "numeric", timeZone: "UTC" });
export const moment = (at) => new Date(at * 1000).toLocaleString(undefined, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
export const isoDay = (at) => new Date(at * 1000).toISOString().slice(0, 10);
export const percent = (share) => `${share > 0 && share < 0.005 ? "<1" : Math.round(share * 100)}%`;
export const two = (x) => (x === null || x === undefined ? "–" : x.toFixed(2));
export const many = (n, one, more = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : more}`;

export function bytes(n) {
  for (const [size, unit] of [[1 << 30, "GB"], [1 << 20, "MB"], [1 << 10, "kB"]]) if (n >= size) return `${(n / size).toFixed(n / size < 10 ? 1 : 0)} ${unit}`;
  return `${n} B`;
}

/** How fresh a retention is, as a class. */
export const fresh = (share) => (share >= 0.7 ? "fresh" : share >= 0.4 ? "warm" : share >= 0.15 ? "cooling" : "fading");
