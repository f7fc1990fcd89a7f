"use strict";
/* The six scenes for given sites: assignment, bound, price, wall, dual, certificate. All speak of the sum of squares

     V = min sum_j |x_j - a_label(j)|^2    with l_i <= |C_i| <= u_i,

   which is the constant sum_j |x_j|^2 minus the largest total score of the engine; prices are the same. */
(function (root) {
  const { plane, numberLine, make, solve } = root.PartitopeArticle;
  const { random, normal, short } = root.PartitopePoints, { figure } = root.PartitopePictures;

  const square = (p, a) => (p[0] - a[0]) ** 2 + (p[1] - a[1]) ** 2;
  const cost = ({ points, sites }, labels) => points.reduce((sum, p, j) => sum + square(p, sites[labels[j]]), 0);
  const list = (values) => values.map(figure).join(", ");
  const sizesOf = (labels, k) => Array.from({ length: k }, (_, i) => labels.filter((l) => l === i).length);

  /* Groups of 14, 6 and 4 points, at most 9 in a cluster: the large group's bound binds. */
  function example() {
    const draw = random(11);
    const points = [[14, 2.6, 6.4], [6, 7.6, 7.2], [4, 6, 2.2]].flatMap(([n, x, y]) =>
      Array.from({ length: n }, () => [short(x + 1.25 * normal(draw)), short(y + 1.25 * normal(draw))]));
    return { kind: "lsa", points, sites: [[2.6, 6.4], [7.6, 7.2], [6, 2.2]], lower: [4, 4, 4], upper: [9, 9, 9] };
  }

  /* Two different clusters' points that were chosen last, and their exchange. */
  const pick = (data, j) => { data.picked = [...data.picked.filter((p) => p !== j), j].slice(-2); };
  const exchangeable = ({ picked, labels }) => picked.length === 2 && labels[picked[0]] !== labels[picked[1]];
  function exchange(data) {
    if (!exchangeable(data)) return false;
    const [p, q] = data.picked;
    [data.labels[p], data.labels[q]] = [data.labels[q], data.labels[p]];
    data.picked = [];
    return true;
  }
  function cheapestExchange({ points, sites }, labels) {
    let best = { rise: Infinity, pair: null };
    labels.forEach((i, p) => labels.forEach((l, q) => {
      if (i >= l) return;
      const rise = square(points[p], sites[l]) + square(points[q], sites[i]) - square(points[p], sites[i]) - square(points[q], sites[l]);
      if (rise < best.rise) best = { rise, pair: [p, q] };
    }));
    return best;
  }

  /* What follows from prices set by hand: the cheapest cluster of every point, and the bound that they prove. */
  function byPrices({ points, sites, lower, upper }, mu) {
    const charge = (j, i) => square(points[j], sites[i]) + mu[i];
    const labels = points.map((_, j) => sites.reduce((best, _, i) => (charge(j, i) < charge(j, best) ? i : best), 0));
    const eta = labels.reduce((sum, i, j) => sum + charge(j, i), 0);
    const paid = mu.reduce((sum, m, i) => sum + (m > 0 ? m * upper[i] : m * lower[i]), 0);
    return { labels, eta, paid, bound: eta - paid, charge };
  }

  function solved(data) {
    data.answer = solve(data.state);
    data.value = cost(data.state, data.answer.labels);
  }

  const withPlane = (options = {}) => (scene) => {
    const view = () => {
      const { state, answer, labels, mu, cut, picked = [] } = scene.data;
      return { state, answer: { ...answer, labels: labels || answer.labels }, prices: mu || answer.prices, marked: picked, lit: scene.lit, cut };
    };
    scene.plane = plane(scene, scene.pictures, view, { ...options, choose: (j) => { if (scene.data.picked) pick(scene.data, j); options.choose?.(scene, j); scene.refresh(); } });
    scene.fit = () => scene.plane.fit();
  };
  const draw = (scene) => { scene.plane.draw(); scene.more?.(); };
  const began = (scene) => scene.fit();
  const term = (name, html, value = () => "") => ({ term: name, html, value });

  const assignment = {
    title: "Assignment",
    bridge: "So the best assignment is there for given sizes. Where do the sizes come from? From bounds.",
    sentence: "Every point goes to one cluster, at the cost of its squared distance to that cluster's site; no cluster may hold more than nine points.",
    formula: ["minimise", term("score", "Σ<sub>j</sub> |x<sub>j</sub> − a<sub>i(j)</sub>|²", (s) => figure(cost(s.data.state, s.data.labels))),
      "over the clusters i(j) of the", term("points", "x<sub>j</sub>", (s) => `${s.data.state.points.length} points`), "with",
      term("sites", "a<sub>i</sub>", (s) => `sizes ${list(sizesOf(s.data.labels, 3))}`)],
    question: "Choose two points of different clusters (click them, or keys n and p) and exchange them. Can the sum of squares fall?",
    start: () => ({ state: example(), picked: [], tried: false, key: "" }),
    update({ data }) {
      solved(data);
      const key = JSON.stringify(data.state);
      if (key !== data.key) Object.assign(data, { key, labels: data.answer.labels.slice(), tried: false });
    },
    build(scene) {
      withPlane()(scene);
      const { button } = scene.tools;
      button("Exchange the two points", () => { if (exchange(scene.data)) scene.data.tried = true; });
      button("Back to the best assignment", () => { scene.data.key = ""; scene.data.picked = []; });
    },
    draw,
    began,
    said: ({ data }) => (data.picked.length ? `chosen: point ${data.picked.join(" and point ")}` : "no point chosen") +
      (data.tried ? `\nsum now ${figure(cost(data.state, data.labels))}, best ${figure(data.value)}` : ""),
    solved: ({ data }) => data.tried,
    show({ data }) {
      const { pair } = cheapestExchange(data.state, data.answer.labels);
      data.labels = data.answer.labels.slice();
      data.picked = pair;
      data.tried = exchange(data);
    },
    answer({ data }) {
      const { rise } = cheapestExchange(data.state, data.answer.labels);
      return `No: the sum rose by ${figure(cost(data.state, data.labels) - data.value)}. Even the cheapest of all exchanges of two points costs ${figure(rise)} more. ` +
        "The assignment is the best of all that keep the sizes, and scene 6 proves it.";
    },
  };

  const bound = {
    title: "Bound",
    bridge: "A bound moves people who would rather stay. What would one place more be worth to them?",
    sentence: "A bound is a row of the linear program: it limits how many points a cluster may hold, whoever they are.",
    formula: [term("lower", "l<sub>i</sub>", (s) => list(s.data.state.lower)), "≤", term("points", "Σ<sub>j</sub> ξ<sub>ij</sub>", (s) => list(s.data.answer.sizes)), "≤",
      term("upper", "u<sub>i</sub>", (s) => list(s.data.state.upper)), ", and the best sum of squares is", term("score", "V", (s) => figure(s.data.value))],
    question: "Cluster 0 would like more than nine points. Raise its upper bound: from which size on does the bound cost nothing?",
    start: () => ({ state: example() }),
    update: ({ data }) => solved(data),
    build(scene) {
      withPlane()(scene);
      for (const name of ["upper", "lower"]) {
        scene.tools.slider(`cluster 0 ${name === "upper" ? "at most" : "at least"}`, {
          min: name === "upper" ? 6 : 0, max: name === "upper" ? 16 : 12, get: () => scene.data.state[name][0],
          set: (v) => {
            const { state } = scene.data;
            state[name][0] = v;
            if (state.lower[0] > state.upper[0]) state[name === "upper" ? "lower" : "upper"][0] = v;
          },
        });
      }
    },
    draw,
    began,
    said: ({ data }) => data.answer.prices.map((p, i) => `cluster ${i}: ${data.answer.sizes[i]} points, price ${figure(p)}`).join("\n"),
    solved: ({ data }) => data.state.upper[0] > data.answer.sizes[0],
    show: ({ data }) => { data.state.upper[0] = 16; },
    answer: ({ data }) => `From ${data.answer.sizes[0]} points on. The cluster has what it wants, its price is ${figure(data.answer.prices[0])}, and V stays at ${figure(data.value)} however far the bound is raised.`,
  };

  /* V for every upper bound of one cluster, null where no assignment is left. */
  const curve = (state, i, from, to) => Array.from({ length: to - from + 1 }, (_, t) => {
    const at = { ...state, upper: state.upper.map((u, c) => (c === i ? from + t : u)), lower: state.lower.map((l, c) => (c === i ? Math.min(l, from + t) : l)) };
    const found = solve(at);
    return { u: from + t, v: found.error ? null : cost(at, found.labels) };
  });

  function curvePicture(values, now) {
    const known = values.filter(({ v }) => v !== null), vs = known.map(({ v }) => v), [low, high] = [Math.min(...vs), Math.max(...vs)];
    const X = (u) => 44 + (400 * (u - values[0].u)) / (values.length - 1), Y = (v) => 190 - (160 * (v - low)) / (high - low || 1);
    const dots = known.map(({ u, v }) => `<circle cx="${X(u)}" cy="${Y(v)}" r="${u === now ? 8 : 4}" fill="${u === now ? "var(--focus)" : "var(--mark)"}"/>`).join("");
    const ticks = values.filter((_, t) => t % 2 === 0).map(({ u }) => `<text x="${X(u)}" y="214" font-size="17" text-anchor="middle" fill="var(--ink)">${u}</text>`).join("");
    return `<svg viewBox="0 0 460 236" role="img" aria-label="Best sum of squares for every upper bound of cluster 0"><polyline points="${known.map(({ u, v }) => `${X(u)},${Y(v)}`).join(" ")}" ` +
      `fill="none" stroke="var(--mark)" stroke-width="2"/>${dots}${ticks}<text x="8" y="16" font-size="17" fill="var(--ink)">V</text><text x="230" y="233" font-size="17" text-anchor="middle" fill="var(--ink)">upper bound of cluster 0</text></svg>`;
  }

  const price = {
    title: "Price",
    bridge: "A price on every place, paid by whoever comes: now let everybody choose freely.",
    sentence: "The price of a bound says what one more place is worth: it is the slope of the best sum of squares as the bound moves.",
    formula: [term("price", "μ<sub>0</sub>", (s) => figure(s.data.answer.prices[0])), "lies between",
      term("next", "V(u) − V(u + 1)", (s) => figure(s.data.right)), "and", term("before", "V(u − 1) − V(u)", (s) => figure(s.data.left))],
    question: "Guess first: by how much will the sum of squares fall when cluster 0 may hold one point more? Set your guess, then raise the bound by one.",
    start: () => ({ state: example(), guess: 0, first: null }),
    update({ data }) {
      solved(data);
      const values = curve(data.state, 0, 6, 16), at = (u) => values.find((one) => one.u === u)?.v ?? NaN, u = data.state.upper[0];
      Object.assign(data, { values, right: at(u) - at(u + 1), left: at(u - 1) - at(u) });
      data.first ??= { price: data.answer.prices[0], fall: data.right };
    },
    build(scene) {
      withPlane({ movable: false })(scene);
      const chart = scene.pictures.appendChild(make("div", { className: "chart" }));
      scene.more = () => { chart.innerHTML = curvePicture(scene.data.values, scene.data.state.upper[0]); };
      scene.tools.slider("my guess", { min: 0, max: 20, step: 0.5, get: () => scene.data.guess, set: (v) => { scene.data.guess = v; } });
      scene.tools.slider("cluster 0 at most", { min: 7, max: 15, get: () => scene.data.state.upper[0], set: (v) => { scene.data.state.upper[0] = v; } });
    },
    draw,
    began,
    solved: ({ data }) => data.state.upper[0] !== 9,
    show: ({ data }) => { data.state.upper[0] = 10; },
    answer: ({ data }) => `The price was ${figure(data.first.price)}, and one more place was worth ${figure(data.first.fall)}; you guessed ${figure(data.guess)}. ` +
      "V bends at every whole bound, so one place more is worth at most the price, and one place fewer costs at least the price. Each further place is worth less.",
  };

  /* The inequality behind the wall nearest to a place: its two cheapest offers. */
  function inequality({ state, mu, spot }) {
    const offers = state.sites.map((a, i) => ({ i, value: square(spot, a) + mu[i] })).sort((p, q) => p.value - q.value), [best, next] = offers;
    const half = (next.value - best.value) / (2 * Math.sqrt(square(state.sites[best.i], state.sites[next.i])) || 1);
    return `at (${list(spot)}): |x − a${best.i}|² + μ${best.i} = ${figure(best.value)} ≤ ${figure(next.value)} = |x − a${next.i}|² + μ${next.i}\n` +
      `slack ${figure(next.value - best.value)}; the boundary to cell ${next.i} is ${figure(half)} away`;
  }

  const wall = {
    title: "Wall",
    bridge: "Free choice at these prices gives the very clusters that the bounds ask for. That is more than a picture: it is a bound.",
    sentence: "Charge every point the price of the cluster it joins: each takes the cheapest offer, and the boundaries between the cells are straight, perpendicular to the line between the sites.",
    formula: [term("walls", "|x − a<sub>i</sub>|² + μ<sub>i</sub> = |x − a<sub>l</sub>|² + μ<sub>l</sub>", (s) => `sizes ${list(sizesOf(s.data.labels, 3))}`),
      ": raise", term("price", "μ<sub>i</sub>", (s) => list(s.data.mu)), "and the boundary moves towards", term("sites", "a<sub>i</sub>")],
    question: "Without prices cluster 0 is too large. Set prices by hand until every cluster holds four to nine points.",
    start: () => ({ state: example(), mu: [0, 0, 0], cut: 4.6, chosen: -1, spot: null }),
    update({ data }) { solved(data); Object.assign(data, byPrices(data.state, data.mu)); },
    build(scene) {
      const { points, sites } = scene.data.state, ys = [...points, ...sites].map((p) => p[1]), [bottom, top] = [Math.min(...ys), Math.max(...ys)];
      withPlane({
        choose: (s, j) => Object.assign(s.data, { chosen: j, spot: null }),
        choosePlace: (at) => { Object.assign(scene.data, { chosen: -1, spot: at }); scene.refresh(); },
        moveCut: (y) => { scene.data.cut = Math.max(bottom, Math.min(y, top)); },
      })(scene);
      const canvas = scene.pictures.appendChild(make("canvas", { tabIndex: 0, role: "application", "aria-label": "The lifted paraboloids in three dimensions; arrows turn them" }));
      const space = root.PartitopeSpace(canvas, (pen, at) => {
        const { state, mu, labels, cut, chosen } = scene.data;
        root.PartitopeSolids.drawLifted(pen, at, state, mu, labels, cut, chosen);
      }, { yaw: 0.5, pitch: 0.45 });
      scene.more = () => { if (canvas.clientWidth) space.draw(); };
      for (const i of [0, 1, 2]) {
        scene.tools.slider(`price of ${i}`, { min: -15, max: 30, step: 0.25, get: () => scene.data.mu[i], set: (v) => { scene.data.mu[i] = v; } });
      }
      scene.tools.slider("cut at height", { min: bottom, max: top, step: 0.01, get: () => scene.data.cut, set: (v) => { scene.data.cut = v; } });
    },
    draw,
    began,
    said({ data }) {
      if (data.chosen < 0 && data.spot) return inequality(data);
      if (data.chosen < 0) return "Click a point or a boundary: the offers there appear here, and a point's height in the lifted picture. Drag the dashed line to cut elsewhere.";
      const offers = [0, 1, 2].map((i) => data.charge(data.chosen, i)), least = Math.min(...offers);
      return offers.map((offer, i) => `point ${data.chosen} in ${i}: ${figure(offer - data.mu[i])} + ${figure(data.mu[i])} = ${figure(offer)}` +
        (offer === least ? ", the cheapest" : `, slack ${figure(offer - least)}`)).join("\n");
    },
    solved: ({ data }) => sizesOf(data.labels, 3).every((size, i) => size >= data.state.lower[i] && size <= data.state.upper[i]),
    show({ data }) { const m = data.answer.margin_prices; data.mu = m.map((v) => v - Math.min(...m)); },
    answer: ({ data }) => `Sizes ${list(sizesOf(data.labels, 3))}. The price lifts the paraboloid of cluster 0 and the cells are what one sees from below. ` +
      `Sum of squares ${figure(cost(data.state, data.labels))}; the best possible is ${figure(data.value)}.`,
  };

  const dual = {
    title: "Dual",
    bridge: "Two numbers meet, one from the labels and one from the prices. To check them you need neither the solver nor its author.",
    sentence: "Prices prove a bound: whatever the assignment, its sum of squares cannot be lower than what the points would pay minus what the places bring in.",
    formula: [term("walls", "Σ<sub>j</sub> min<sub>i</sub> ( |x<sub>j</sub> − a<sub>i</sub>|² + μ<sub>i</sub> )", (s) => figure(s.data.eta)), "−",
      term("price", "Σ<sub>i</sub> μ<sub>i</sub> u<sub>i</sub>", (s) => figure(s.data.paid)), "=", term("bound", "D(μ)", (s) => figure(s.data.bound)), "≤",
      term("score", "V", (s) => figure(s.data.value))],
    question: "Move the prices until the bound D(μ) is within two per cent of V. (A negative price counts with the lower bound instead.)",
    start: () => ({ state: example(), mu: [0, 0, 0] }),
    update({ data }) { solved(data); Object.assign(data, byPrices(data.state, data.mu)); },
    build(scene) {
      withPlane()(scene);
      const line = numberLine(scene.pictures, "Dual bound and best sum");
      scene.more = () => line([{ name: "D(μ)", value: scene.data.bound }, { name: "V", value: scene.data.value }], [0.6 * scene.data.value, 1.1 * scene.data.value]);
      for (const i of [0, 1, 2]) {
        scene.tools.slider(`price of ${i}`, { min: -15, max: 30, step: 0.25, get: () => scene.data.mu[i], set: (v) => { scene.data.mu[i] = v; } });
      }
      scene.tools.button("Raise where it is too full", () => {
        const { data } = scene, sizes = sizesOf(data.labels, 3);
        data.mu = data.mu.map((m, i) => m + (sizes[i] > data.state.upper[i] ? 1 : sizes[i] < data.state.lower[i] ? -1 : 0));
      });
    },
    draw,
    began,
    solved: ({ data }) => data.bound >= 0.98 * data.value,
    show: ({ data }) => { data.mu = data.answer.prices.slice(); },
    answer: ({ data }) => `D(μ) = ${figure(data.bound)} and V = ${figure(data.value)}: the gap is ${figure(data.value - data.bound)}. At the best prices it is zero, so the two prove each other; nobody has to trust the solver.`,
  };

  const certificate = {
    title: "Certificate",
    bridge: "Until here the stations stood still. When they move as well, the problem becomes hard.",
    sentence: "With labels and prices in hand the proof takes one pass: no point may have a cheaper offer than the one it took.",
    formula: [term("score", "Σ<sub>j</sub> own offer", (s) => figure(s.data.own)), "−", term("walls", "Σ<sub>j</sub> cheapest offer", (s) => figure(s.data.least)), "=",
      term("gap", "gap", (s) => figure(s.data.own - s.data.least)), "after", term("points", "points read", (s) => `${s.data.read} of ${s.data.state.points.length}`)],
    question: "Forge it: choose two points of different clusters, exchange them, and read all points again. Where does the proof fail?",
    start: () => ({ state: example(), picked: [], read: 0, forged: null, key: "" }),
    update({ data }) {
      solved(data);
      const key = JSON.stringify(data.state);
      if (key !== data.key) Object.assign(data, { key, labels: data.answer.labels.slice(), forged: null, read: 0 });
      const { charge } = byPrices(data.state, data.answer.prices);
      data.slack = data.labels.map((i, j) => charge(j, i) - Math.min(...[0, 1, 2].map((l) => charge(j, l))));
      data.own = data.labels.slice(0, data.read).reduce((sum, i, j) => sum + charge(j, i), 0);
      data.least = data.own - data.slack.slice(0, data.read).reduce((sum, s) => sum + s, 0);
    },
    build(scene) {
      withPlane({ movable: false })(scene);
      const { button } = scene.tools, all = () => scene.data.state.points.length;
      button("Read the next point", () => { scene.data.read = Math.min(scene.data.read + 1, all()); });
      button("Read all", () => { scene.data.read = all(); });
      button("Exchange the two points", () => {
        const { data } = scene, pair = data.picked;
        if (exchange(data)) Object.assign(data, { forged: pair, read: 0 });
      });
    },
    draw,
    began,
    said({ data }) {
      const failing = data.slack.map((s, j) => [j, s]).filter(([j, s]) => j < data.read && s > 1e-9);
      return `${data.picked.length ? `chosen: ${data.picked.join(" and ")}\n` : ""}${data.read ? `last read: point ${data.read - 1}, cluster ${data.labels[data.read - 1]}, slack ${figure(data.slack[data.read - 1])}` : "nothing read yet"}` +
        (failing.length ? `\nfails at ${failing.map(([j, s]) => `point ${j} by ${figure(s)}`).join(", ")}` : data.read ? "\nno point has a cheaper offer" : "");
    },
    solved: ({ data }) => data.forged !== null && data.read === data.state.points.length,
    show({ data }) {
      data.labels = data.answer.labels.slice();
      data.picked = cheapestExchange(data.state, data.labels).pair;
      data.forged = data.picked;
      exchange(data);
      data.read = data.state.points.length;
    },
    answer: ({ data }) => `At the points that you exchanged (${data.forged.join(" and ")}): together they lose ${figure(data.own - data.least)}, which is exactly what the sum of squares lost: ${figure(cost(data.state, data.labels) - data.value)}. The sizes are right, so nothing else can be wrong.`,
  };

  root.PartitopeScenes = [assignment, bound, price, wall, dual, certificate];
  root.PartitopeExample = { example, cost, curve, curvePicture, term, list };
})(window);
