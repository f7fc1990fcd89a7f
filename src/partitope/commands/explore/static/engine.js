"use strict";
/* The exact method of the library on k + 1 nodes, as pure functions of a state. No page, no network.

   A state is { kind: "lsa" | "csa", points: [[x, y], ...], sites: [[x, y], ...], lower: [...], upper: [...] };
   `PartitopeEngine.answer(state)` is everything known about it, with the names of partitope.explore.answer.

     max  sum_j gamma_{label(j), j}    so that every cluster i holds between lower_i and upper_i points

   1  every point goes to its best cluster; 2 shortest paths on the graph of clusters and one slack node move points,
   one an arc, until all bounds hold; 3 shortest-path potentials of the final graph are the prices; 4 an independent
   pass over the data compares primal and dual value. Scores are gamma = g . (x - c) + h, c the mean of the points:
   LSA g = 2 (a - c), h = -|a - c|^2; CSA g = a / |a|, h = 0. */
(function (root) {
  const TOLERANCE = 1e-12;
  const IMPROVEMENT = 1e-13;

  function mean(points) {
    let x = 0, y = 0;
    for (const p of points) { x += p[0]; y += p[1]; }
    return [x / points.length, y / points.length];
  }

  function unit(vector) {
    const norm = Math.hypot(vector[0], vector[1]);
    return norm > 0 ? [vector[0] / norm, vector[1] / norm] : [1, 0];
  }

  /* Why no clustering satisfies the bounds, in the library's words; null when one does. */
  function diagnosis(n, lower, upper) {
    const k = lower.length;
    const crossed = lower.map((l, i) => i).filter((i) => lower[i] > upper[i]);
    if (crossed.length) {
      const i = crossed[0], more = crossed.length > 1 ? ` (and ${crossed.length - 1} more clusters)` : "";
      return `lower[${i}]=${lower[i]} exceeds upper[${i}]=${upper[i]}${more}: lower lower[${i}] to ${upper[i]} ` +
        `or raise upper[${i}] to ${lower[i]} (upper is at most n_points)`;
    }
    const need = lower.reduce((a, b) => a + b, 0), room = upper.reduce((a, b) => a + b, 0);
    if (need > n) {
      return `sum(lower)=${need} exceeds n_points=${n}: lower the bounds by ${need - n} in all ` +
        `(a common lower bound of at most ${Math.floor(n / k)})`;
    }
    if (room < n) {
      return `sum(upper)=${room} is less than n_points=${n}: raise the bounds by ${n - room} in all ` +
        `(a common upper bound of at least ${Math.ceil(n / k)})`;
    }
    return null;
  }

  function scoreModel(state) {
    const n = state.points.length, k = state.sites.length, origin = mean(state.points);
    const gradients = [], offsets = [];
    for (const site of state.sites) {
      if (state.kind === "csa") {
        gradients.push(unit(site));
        offsets.push(0);
      } else {
        const a = [site[0] - origin[0], site[1] - origin[1]];
        gradients.push([2 * a[0], 2 * a[1]]);
        offsets.push(-(a[0] * a[0] + a[1] * a[1]));
      }
    }
    const gamma = new Float64Array(n * k);
    let scale = 0;
    for (let j = 0; j < n; j++) {
      const x = state.points[j][0] - origin[0], y = state.points[j][1] - origin[1];
      let high = -Infinity, low = Infinity;
      for (let i = 0; i < k; i++) {
        const value = x * gradients[i][0] + y * gradients[i][1] + offsets[i];
        gamma[j * k + i] = value;
        high = Math.max(high, value);
        low = Math.min(low, value);
      }
      scale = Math.max(scale, high - low);
    }
    return { n, k, origin, gradients, offsets, gamma, scale };
  }

  /* Arc lengths w_il = min over the members of i of gamma_i - gamma_l, and the points that attain them. */
  function shortenArcs(model, labels, clusters, arcs) {
    const { n, k, gamma } = model;
    for (const i of clusters) {
      arcs.length[i].fill(Infinity);
      arcs.point[i].fill(-1);
      arcs.length[i][i] = 0;
    }
    const wanted = new Uint8Array(k);
    for (const i of clusters) wanted[i] = 1;
    for (let j = 0; j < n; j++) {
      const i = labels[j];
      if (!wanted[i]) continue;
      const own = gamma[j * k + i], row = arcs.length[i];
      for (let l = 0; l < k; l++) {
        const lead = own - gamma[j * k + l];
        if (l !== i && lead < row[l]) { row[l] = lead; arcs.point[i][l] = j; }
      }
    }
  }

  function emptyArcs(k) {
    return {
      length: Array.from({ length: k }, () => new Float64Array(k)),
      point: Array.from({ length: k }, () => new Int32Array(k)),
    };
  }

  /* Optimal labels, by successive shortest paths from the best cluster of every point. Node k is the slack. `tell` hears
     every path before its points move. From any prices `start` on, the answer is optimal; those of a state nearby leave
     few paths to go. */
  function assign(model, lower, upper, tell = () => {}, start = null) {
    const { n, k, gamma, scale } = model, mu = start || new Array(k).fill(0);
    const labels = new Int32Array(n), sizes = new Int32Array(k), arcs = emptyArcs(k);
    for (let j = 0; j < n; j++) {
      let best = 0;
      for (let i = 1; i < k; i++) if (gamma[j * k + i] - mu[i] > gamma[j * k + best] - mu[best]) best = i;
      labels[j] = best;
      sizes[best]++;
    }
    const flow = Array.from(sizes, (size, i) => (mu[i] > 0 ? upper[i] : mu[i] < 0 ? lower[i] : Math.min(Math.max(size, lower[i]), upper[i])));
    const excess = flow.map((f, i) => sizes[i] - f);
    excess.push(flow.reduce((a, b) => a + b, 0) - n);
    shortenArcs(model, labels, Array.from({ length: k }, (_, i) => i), arcs);
    const arc = (a, b) => {
      if (a < k && b < k) return arcs.length[a][b];
      if (b === k) return flow[a] < upper[a] ? 0 : Infinity;
      return flow[b] > lower[b] ? 0 : Infinity;
    };
    let searches = 0;
    while (excess.some((e) => e > 0)) {
      const path = shortestPath(k + 1, arc, excess, TOLERANCE * scale);
      if (path === null) break;
      searches++;
      const touched = new Set();
      const moves = [];
      for (let p = 0; p + 1 < path.length; p++) {
        const a = path[p], b = path[p + 1];
        if (a < k && b < k) { moves.push([arcs.point[a][b], b]); touched.add(a).add(b); }
        else if (b === k) flow[a]++;
        else flow[b]--;
      }
      tell({ path, moves, labels: Array.from(labels) });
      for (const [point, cluster] of moves) labels[point] = cluster;
      excess[path[0]]--;
      excess[path[path.length - 1]]++;
      shortenArcs(model, labels, touched, arcs);
    }
    return { labels, arcs, searches };
  }

  function shortestPath(m, arc, excess, slack) {
    const distance = excess.map((e) => (e > 0 ? 0 : Infinity)), before = new Array(m).fill(-1);
    for (let round = 0, changed = true; changed && round <= m; round++) {
      changed = false;
      for (let a = 0; a < m; a++) {
        if (distance[a] === Infinity) continue;
        for (let b = 0; b < m; b++) {
          if (a === b) continue;
          const through = distance[a] + arc(a, b);
          if (through < distance[b] - slack) { distance[b] = through; before[b] = a; changed = true; }
        }
      }
    }
    let sink = -1;
    for (let b = 0; b < m; b++) {
      if (excess[b] < 0 && distance[b] < Infinity && (sink < 0 || distance[b] < distance[sink])) sink = b;
    }
    if (sink < 0) return null;
    const path = [sink];
    while (before[path[0]] >= 0 && path.length <= m) path.unshift(before[path[0]]);
    return path;
  }

  /* Bellman and Ford: potentials mu_i <= mu_l + length_il, or the nodes of a negative cycle. */
  function potentials(length, slack) {
    const m = length.length;
    let mu = new Array(m).fill(0);
    const successor = new Array(m).fill(-1);
    for (let round = 0; round < m * m; round++) {
      const next = mu.slice();
      let changed = false;
      for (let i = 0; i < m; i++) {
        let best = -1, value = Infinity;
        for (let l = 0; l < m; l++) {
          if (l !== i && mu[l] + length[i][l] < value) { value = mu[l] + length[i][l]; best = l; }
        }
        if (value < mu[i] - slack) { next[i] = value; successor[i] = best; changed = true; }
      }
      if (!changed) break;
      mu = next;
      const cycle = cycleOf(successor);
      if (cycle) return { mu, cycle };
    }
    return { mu, cycle: null };
  }

  function cycleOf(successor) {
    const seen = new Array(successor.length).fill(-1);
    for (let start = 0; start < successor.length; start++) {
      let node = start;
      while (node >= 0 && seen[node] < 0) { seen[node] = start; node = successor[node]; }
      if (node >= 0 && seen[node] === start) {
        const cycle = [node];
        while (successor[cycle[cycle.length - 1]] !== node) cycle.push(successor[cycle[cycle.length - 1]]);
        return cycle;
      }
    }
    return null;
  }

  const around = (matrix, cycle) =>
    cycle.reduce((total, node, p) => total + matrix[node][cycle[(p + 1) % cycle.length]], 0);

  /* Lengths of the whole exchange graph (k + 1, k + 1) and the prices that its potentials are. */
  function priceClusters(model, arcs, sizes, lower, upper) {
    const k = model.k;
    const lengths = arcs.length.map((row, i) => [...row, sizes[i] < upper[i] ? 0 : Infinity]);
    lengths.push([...sizes.map((size, i) => (size > lower[i] ? 0 : Infinity)), 0]);
    let { mu, cycle } = potentials(lengths, 0);
    if (cycle) ({ mu } = potentials(lengths, TOLERANCE * model.scale)); // negative by rounding only
    const prices = sizes.map((size, i) => {
      let price = mu[i] - mu[k];
      if (size < upper[i]) price = Math.min(price, 0);
      if (size > lower[i]) price = Math.max(price, 0);
      return price + 0;
    });
    return { lengths, prices };
  }

  /* Prices whose walls keep the largest distance from all points: Dinkelbach's minimum-ratio cycle. */
  function marginPrices(gaps, gradients) {
    const k = gaps.length;
    const distance = gradients.map((g) => gradients.map((h) => Math.hypot(g[0] - h[0], g[1] - h[1])));
    const filled = gaps.map((_, i) => i).filter((i) => gaps[i].some((w, l) => l !== i && w < Infinity));
    const prices = new Array(k).fill(0);
    let eps = 0;
    if (filled.length > 1) {
      const inner = (matrix) => filled.map((i) => filled.map((l) => matrix[i][l]));
      const found = widest(inner(gaps), inner(distance));
      if (found === null) return null;
      eps = found.eps;
      const centre = found.mu.reduce((a, b) => a + b, 0) / filled.length;
      filled.forEach((i, p) => { prices[i] = found.mu[p] - centre; });
    }
    for (let i = 0; i < k && filled.length; i++) {
      if (filled.includes(i)) continue;
      let clear = -Infinity, size = 0;
      for (const l of filled) {
        clear = Math.max(clear, prices[l] - gaps[l][i] + eps * distance[l][i]);
        size = Math.max(size, Math.abs(gaps[l][i]));
      }
      prices[i] = clear + (eps > 0 ? 0 : 1e-6 * size);
    }
    return prices;
  }

  function widest(gaps, distance) {
    const m = gaps.length;
    let largest = 0, eps = Infinity;
    for (let i = 0; i < m; i++) {
      for (let l = 0; l < m; l++) {
        largest = Math.max(largest, Math.abs(gaps[i][l]));
        const ratio = (gaps[i][l] + gaps[l][i]) / (distance[i][l] + distance[l][i]);
        if (l !== i && Number.isFinite(ratio)) eps = Math.min(eps, ratio);
      }
    }
    const rounding = 1e-12 * (largest || 1);
    eps = eps === Infinity ? 0 : Math.max(eps, 0);
    for (;;) {
      const reduced = gaps.map((row, i) => row.map((w, l) => w - eps * distance[i][l]));
      const { mu, cycle } = potentials(reduced, rounding / 10);
      if (!cycle) return { eps, mu };
      const length = around(gaps, cycle), turn = around(distance, cycle);
      const ratio = turn > 0 ? length / turn : -Infinity;
      if (length < -rounding * cycle.length || turn === 0) return null;
      if (ratio >= eps) return { eps, mu: potentials(reduced, rounding).mu };
      eps = Math.max(ratio, 0);
    }
  }

  /* Primal and dual value from the data, labels and prices alone; weak duality makes a zero gap a proof. */
  function certify(model, labels, prices, sizes, lower, upper) {
    const { n, k, gamma } = model;
    let primal = 0, eta = 0, spread = 0, size = 0, worst = 0;
    for (let j = 0; j < n; j++) {
      let best = -Infinity, high = -Infinity, low = Infinity;
      for (let i = 0; i < k; i++) {
        const value = gamma[j * k + i];
        best = Math.max(best, value - prices[i]);
        high = Math.max(high, value);
        low = Math.min(low, value);
      }
      const own = gamma[j * k + labels[j]];
      primal += own;
      eta += best;
      worst = Math.max(worst, best - (own - prices[labels[j]]));
      spread += high - low;
      size += Math.max(high, -low);
    }
    let bounds = 0, violation = 0;
    for (let i = 0; i < k; i++) {
      if (prices[i] !== 0) bounds += prices[i] * (prices[i] > 0 ? upper[i] : lower[i]);
      violation = Math.max(violation, (sizes[i] - upper[i]) / n, (lower[i] - sizes[i]) / n);
      const distance = prices[i] > 0 ? upper[i] - sizes[i] : sizes[i] - lower[i];
      worst = Math.max(worst, Math.abs(prices[i]) * distance);
    }
    const dual = bounds + eta;
    const magnitude = Math.max(Math.abs(primal), Math.abs(dual), spread, 1e-6 * size) || 1;
    const gap = (dual - primal) / magnitude;
    const verified = violation <= 1e-9 && worst / magnitude <= 1e-9 && Math.abs(gap) <= 1e-9;
    return { primal, dual, gap, verified, proof: verified ? "step" : "none" };
  }

  /* Objective of the clustering and the sites of the next step; a cluster without sum or points keeps its site. */
  function improve(state, origin, labels, sizes) {
    const k = sizes.length, sums = Array.from({ length: k }, () => [0, 0]);
    state.points.forEach((p, j) => {
      sums[labels[j]][0] += p[0] - origin[0];
      sums[labels[j]][1] += p[1] - origin[1];
    });
    if (state.kind === "csa") {
      const norms = sums.map((s) => Math.hypot(s[0], s[1]));
      const sites = sums.map((s, i) => (norms[i] > 0 ? [s[0] / norms[i], s[1] / norms[i]] : unit(state.sites[i])));
      return { objective: norms.reduce((a, b) => a + b, 0), sites };
    }
    const sites = sums.map((s, i) =>
      sizes[i] > 0 ? [s[0] / sizes[i] + origin[0], s[1] / sizes[i] + origin[1]] : state.sites[i].slice());
    let objective = 0;
    state.points.forEach((p, j) => {
      const a = sites[labels[j]];
      objective += (p[0] - a[0]) ** 2 + (p[1] - a[1]) ** 2;
    });
    return { objective, sites };
  }

  /* Everything about a state; the prices of a state nearby, when they are given, only make it quicker. */
  function answer(asked, nearby) {
    const n = asked.points.length, k = asked.sites.length;
    const state = { ...asked, upper: asked.upper.map((u) => Math.min(u, n)) };
    if (n < k) return { error: `n_clusters=${k} exceeds n_samples=${n}: ask for at most one cluster per point` };
    const error = diagnosis(n, state.lower, state.upper);
    if (error) return { error };
    const started = performance.now();
    const model = scoreModel(state);
    const { labels, arcs, searches } = assign(model, state.lower, state.upper, undefined, Array.isArray(nearby) && nearby.length === k ? nearby : null);
    const sizes = new Array(k).fill(0);
    for (const i of labels) sizes[i]++;
    const { lengths, prices } = priceClusters(model, arcs, sizes, state.lower, state.upper);
    const proof = certify(model, labels, prices, sizes, state.lower, state.upper);
    const { objective, sites } = improve(state, model.origin, labels, sizes);
    const finite = (matrix) => matrix.map((row) => Array.from(row, (w) => (w === Infinity ? null : w)));
    return {
      error: null,
      labels: Array.from(labels),
      sizes,
      prices,
      margin_prices: marginPrices(arcs.length.map((row) => Array.from(row)), model.gradients),
      objective,
      ...proof,
      lengths: finite(lengths),
      arc_points: arcs.point.map((row) => Array.from(row)),
      next_sites: sites,
      origin: model.origin,
      gradients: model.gradients,
      offsets: model.offsets,
      searches,
      milliseconds: performance.now() - started,
    };
  }

  /* Whether an objective is better than another by more than rounding. */
  function better(kind, now, before) {
    const gain = kind === "csa" ? now - before : before - now;
    return gain > IMPROVEMENT * Math.abs(before);
  }

  /* Cells inside a rectangle [left, right, bottom, top] as convex polygons: the rectangle cut by half-planes. */
  function cells(answered, prices, box) {
    const { gradients, offsets, origin } = answered, [left, right, bottom, top] = box;
    const height = gradients.map((g, i) => offsets[i] - prices[i] - g[0] * origin[0] - g[1] * origin[1]);
    return gradients.map((g, i) => {
      let polygon = [[left, bottom], [right, bottom], [right, top], [left, top]];
      gradients.forEach((h, l) => {
        const slope = [g[0] - h[0], g[1] - h[1]], offset = height[i] - height[l];
        const twins = slope[0] === 0 && slope[1] === 0 && offset === 0;
        if (l === i || (twins && l > i) || !polygon.length) return;
        polygon = twins ? [] : cut(polygon, slope, offset);
      });
      return polygon;
    });
  }

  function cut(polygon, slope, offset) {
    const height = polygon.map((p) => p[0] * slope[0] + p[1] * slope[1] + offset), kept = [];
    polygon.forEach((p, a) => {
      const b = (a + 1) % polygon.length;
      if (height[a] >= 0) kept.push(p);
      if ((height[a] > 0 && height[b] < 0) || (height[a] < 0 && height[b] > 0)) {
        const share = height[a] / (height[a] - height[b]), q = polygon[b];
        kept.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
      }
    });
    return kept.length > 2 ? kept : [];
  }

  root.PartitopeEngine = { answer, better, cells, mean, unit, scoreModel, assign, certify };
})(typeof globalThis === "object" ? globalThis : window);
