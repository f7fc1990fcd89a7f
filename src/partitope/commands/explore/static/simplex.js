"use strict";
/* The simplex method for assignment within size bounds, pivot by pivot, on the network

     point j --(gamma_ji)--> cluster i --(0)--> root      flow of a cluster's arc in [l_i, u_i]

   A basis is a spanning tree of n + k arcs. eta_j is the price of point j, mu_i that of cluster i; the reduced cost of
   an arc is gamma_ji - mu_i - eta_j, and of a cluster's arc mu_i; a pivot takes an arc that improves, sends flow around
   the cycle that it closes, and drops the arc that stops it. Ties go to the arc of the lowest number. Pure functions. */
(function (root) {
  const EPS = 1e-9;

  /* The first basis: labels within the bounds, all prices zero. */
  function first(gamma, lower, upper) {
    const n = gamma.length, k = lower.length, labels = [], sizes = new Array(k).fill(0);
    for (let j = 0; j < n; j++) { // every cluster to its lower bound, then on to its upper
      const i = [lower, upper].map((bound) => sizes.findIndex((size, c) => size < bound[c])).find((c) => c >= 0);
      labels.push(i);
      sizes[i]++;
    }
    const arcs = [];
    for (let j = 0; j < n; j++) for (let i = 0; i < k; i++) arcs.push({ from: j, to: n + i, gain: gamma[j][i], low: 0, high: Infinity, flow: labels[j] === i ? 1 : 0, basic: labels[j] === i });
    for (let i = 0; i < k; i++) arcs.push({ from: n + i, to: n + k, gain: 0, low: lower[i], high: upper[i], flow: sizes[i], basic: true });
    return priced({ n, k, arcs, pivots: 0, last: null });
  }

  /* Prices of a basis, reduced costs, the arcs that improve, primal value and the bound that the prices prove. */
  function priced(basis) {
    const { n, k, arcs } = basis, price = new Array(n + k + 1).fill(null), queue = [n + k];
    price[n + k] = 0;
    while (queue.length) {
      const node = queue.pop();
      for (const arc of arcs) {
        if (!arc.basic || (arc.from !== node && arc.to !== node)) continue;
        const other = arc.from === node ? arc.to : arc.from;
        if (price[other] !== null) continue;
        price[other] = arc.from === node ? price[node] - arc.gain : price[node] + arc.gain;
        queue.push(other);
      }
    }
    const reduced = arcs.map((arc) => arc.gain - price[arc.from] + price[arc.to]);
    const entering = arcs.map((_, at) => at).filter((at) => {
      const arc = arcs[at];
      return !arc.basic && ((reduced[at] > EPS && arc.flow < arc.high) || (reduced[at] < -EPS && arc.flow > arc.low));
    });
    const mu = price.slice(n, n + k).map((p) => -p + 0), primal = arcs.reduce((sum, arc) => sum + arc.gain * arc.flow, 0);
    let dual = mu.reduce((sum, m, i) => sum + m * (m > 0 ? arcs[n * k + i].high : arcs[n * k + i].low), 0);
    for (let j = 0; j < n; j++) dual += Math.max(...mu.map((m, i) => arcs[j * k + i].gain - m));
    return { ...basis, price, mu, eta: price.slice(0, n), reduced, entering, primal, dual };
  }

  /* The basis after arc `at` has entered; the basis itself is left as it is. */
  function pivot(basis, at) {
    const arcs = basis.arcs.map((arc) => ({ ...arc })), enter = arcs[at], up = basis.reduced[at] > 0;
    const [start, end] = up ? [enter.to, enter.from] : [enter.from, enter.to];
    const before = new Map([[start, null]]), queue = [start];
    while (!before.has(end)) {
      const node = queue.shift();
      arcs.forEach((arc, index) => {
        const other = arc.from === node ? arc.to : arc.to === node ? arc.from : null;
        if (!arc.basic || other === null || before.has(other)) return;
        before.set(other, { node, index, forward: arc.from === node });
        queue.push(other);
      });
    }
    const cycle = [{ index: at, forward: up }];
    for (let step = before.get(end); step; step = before.get(step.node)) cycle.push(step);
    const room = ({ index, forward }) => (forward ? arcs[index].high - arcs[index].flow : arcs[index].flow - arcs[index].low);
    const theta = Math.min(...cycle.map(room)), leaving = Math.min(...cycle.filter((step) => room(step) === theta).map(({ index }) => index));
    for (const { index, forward } of cycle) arcs[index].flow += forward ? theta : -theta;
    enter.basic = true;
    arcs[leaving].basic = false;
    return priced({ n: basis.n, k: basis.k, arcs, pivots: basis.pivots + 1, last: { enter: at, leave: leaving, theta, cycle: cycle.map(({ index }) => index), gain: basis.reduced[at] } });
  }

  /* The arc of the largest reduced cost; after many pivots the first one, which cannot cycle (Bland). */
  function choose({ entering, reduced, pivots }) {
    if (!entering.length) return null;
    return pivots > 60 ? entering[0] : entering.reduce((best, at) => (Math.abs(reduced[at]) > Math.abs(reduced[best]) ? at : best));
  }

  const labelsOf = ({ n, k, arcs }) => Array.from({ length: n }, (_, j) => Array.from({ length: k }, (_, i) => arcs[j * k + i].flow).findIndex((f) => f > 0.5));

  root.PartitopeSimplex = { first, pivot, choose, labelsOf };
})(typeof globalThis === "object" ? globalThis : window);
