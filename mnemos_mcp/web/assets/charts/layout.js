// Where the nodes of a small graph stand: forces, from the same start every time, so that the same graph looks the same.
const ROUNDS = 260;

/** Positions in a width x height box for nodes [{id}] and edges [{a, b, weight}]. */
export function layout(nodes, edges, width, height, pad = 26) {
  const n = nodes.length;
  const at = new Map(nodes.map((node, i) => [node.id, i]));
  const x = nodes.map((_, i) => width / 2 + (width / 3) * Math.cos(i * 2.399963) * Math.sqrt((i + 0.5) / n));
  const y = nodes.map((_, i) => height / 2 + (height / 3) * Math.sin(i * 2.399963) * Math.sqrt((i + 0.5) / n));
  const ties = edges.map((e) => [at.get(e.a), at.get(e.b), Math.min(1, e.weight || 0.5)]).filter(([a, b]) => a !== undefined && b !== undefined);
  const ideal = 0.8 * Math.sqrt((width * height) / Math.max(n, 1));
  for (let round = 0; round < ROUNDS; round += 1) {
    const heat = (width / 12) * (1 - round / ROUNDS) ** 1.5 + 0.2;
    const dx = new Float64Array(n);
    const dy = new Float64Array(n);
    for (let i = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1) {
        const ex = x[i] - x[j] || 0.01 * (i - j);
        const ey = y[i] - y[j] || 0.01;
        const push = (ideal * ideal) / Math.max(ex * ex + ey * ey, 4);
        dx[i] += ex * push; dy[i] += ey * push; dx[j] -= ex * push; dy[j] -= ey * push;
      }
      dx[i] += (width / 2 - x[i]) * 0.35; dy[i] += (height / 2 - y[i]) * 0.7;
    }
    for (const [a, b, weight] of ties) {
      const ex = x[a] - x[b];
      const ey = y[a] - y[b];
      const pull = (Math.hypot(ex, ey) / ideal) * (0.4 + 0.6 * weight);
      dx[a] -= ex * pull; dy[a] -= ey * pull; dx[b] += ex * pull; dy[b] += ey * pull;
    }
    for (let i = 0; i < n; i += 1) {
      const far = Math.hypot(dx[i], dy[i]) || 1;
      x[i] = Math.min(width - pad, Math.max(pad, x[i] + (dx[i] / far) * Math.min(far, heat)));
      y[i] = Math.min(height - pad, Math.max(pad, y[i] + (dy[i] / far) * Math.min(far, heat)));
    }
  }
  return fitted(nodes, x, y, width, height, pad);
}

/** The whole drawing stretched to the box, sidewards more than up: labels are wide. */
function fitted(nodes, x, y, width, height, pad) {
  const scale = (all, size, edge, most) => {
    const low = Math.min(...all);
    const span = Math.max(...all) - low;
    const factor = span ? Math.min((size - 2 * edge) / span, most) : 0;
    return (v) => size / 2 + (v - low - span / 2) * factor;
  };
  const sx = scale(x, width, pad + 50, 2.6);
  const sy = scale(y, height, pad, 2);
  return new Map(nodes.map((node, i) => [node.id, { x: sx(x[i]), y: sy(y[i]) }]));
}
