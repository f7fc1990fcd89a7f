"use strict";
/* The two scenes in which the sites move as well: local optimum and global bound, for ten points in two clusters.

   Cluster sums are taken about the mean, so that c_1 = -c_0 and the objective |c_0| + |c_1| is twice the length of c_0. */
(function (root) {
  const { plane, make, numberLine, solve } = root.PartitopeArticle;
  const { term, list } = root.PartitopeExample, { figure, theme, HUES } = root.PartitopePictures;
  const { build: buildPolytope } = root.PartitopePolytope, { drawPolytope, outline } = root.PartitopeSolids;
  const { random } = root.PartitopePoints;

  const POINTS = [[-3, -3], [0, -5], [6, -5], [-3, 0], [-8, 2], [1, 6], [-2, 0], [6, 5], [10, -7], [9, 2]];
  const LOWER = [4, 4], UPPER = [6, 6], N = POINTS.length;
  const polytope = buildPolytope(POINTS, LOWER, UPPER);
  const unit = (angle) => [Math.cos(angle), Math.sin(angle)];
  const norm = (at) => (2 * Math.hypot(at[0], at[1])) / N; // of a whole-number sum, which is n times as long

  /* The state of a direction a: sites a and -a. */
  const stateOf = (a) => ({ kind: "csa", points: POINTS.map((p) => p.slice()), sites: [a, [-a[0], -a[1]]], lower: LOWER.slice(), upper: UPPER.slice() });

  /* The sum of cluster 0 of an assignment, in the polytope's whole numbers. */
  function sumOf({ points }, labels) {
    const y = root.PartitopePolytope.centred(points);
    return labels.reduce((c, i, j) => (i ? c : [c[0] + y[j][0], c[1] + y[j][1], c[2] + 1]), [0, 0, 0]);
  }

  /* Steps from a direction until the length of the sum does not grow: the sums passed, the last the end. */
  function walkFrom(direction) {
    const walk = [];
    for (let a = direction; ;) {
      const c = sumOf(stateOf(a), solve(stateOf(a)).labels), last = walk[walk.length - 1];
      if (last && norm(c) <= norm(last) * (1 + 1e-12)) return walk;
      walk.push(c);
      a = [c[0] / Math.hypot(c[0], c[1]), c[1] / Math.hypot(c[0], c[1])];
    }
  }
  const highest = Math.max(...polytope.all.map(({ at }) => norm(at)));
  const sameValue = (one, other) => Math.abs(one - other) < 1e-9 * highest;

  function space(scene, label, paint) {
    const canvas = scene.pictures.appendChild(make("canvas", { tabIndex: 0, role: "application", "aria-label": `${label}; arrows turn it, plus and minus bring it nearer` }));
    const made = root.PartitopeSpace(canvas, paint);
    return { canvas, draw: () => { if (canvas.clientWidth) made.draw(); }, reset: made.reset };
  }

  const FIRST = 1.35; // a long walk

  const local = {
    title: "Local optimum",
    bridge: "A climb ends on a hill. How high may the mountain be?",
    sentence: "When the sites may move too, the objective is the length of the cluster sums; every step goes to a corner of the polytope of sums that is farther out, and stops where no step helps.",
    formula: ["maximise", term("score", "|c<sub>0</sub>| + |c<sub>1</sub>|", (s) => figure(s.data.objective)), "over the", term("all", "clusterings", () => `${polytope.all.length}`),
      ", of which", term("corners", "corners", () => `${polytope.corners.length}`), "can be best; ends found", term("walk", "so far", (s) => list(s.data.ends) || "none")],
    question: "Run to the end, start again elsewhere, and find two different ends. Which of them is the best?",
    start: () => ({ state: stateOf(unit(FIRST)), walk: [], ends: [], starts: random(5) }),
    update({ data }) {
      data.answer = solve(data.state);
      const c = sumOf(data.state, data.answer.labels);
      data.objective = norm(c);
      data.current = c;
      data.ended = data.walk.length > 1 && sameValue(norm(data.walk[data.walk.length - 1]), norm(data.walk[data.walk.length - 2]));
    },
    build(scene) {
      scene.plane = plane(scene, scene.pictures, () => ({ state: scene.data.state, answer: scene.data.answer, prices: scene.data.answer.prices, lit: scene.lit }), { label: "Ten points and two directions" });
      scene.solid = space(scene, "The polytope of cluster sums, size upwards", (pen, at) => drawPolytope(pen, at, polytope, N, {
        current: scene.data.current, walk: scene.lit === "corners" ? [] : scene.data.walk, direction: scene.data.state.sites[0], all: scene.lit !== "corners",
      }));
      scene.fit = () => scene.plane.fit();
      scene.turn = (a) => { scene.data.state.sites = [a, [-a[0], -a[1]]]; };
      scene.run = () => {
        const { data } = scene;
        data.walk = walkFrom(data.state.sites[0]);
        const end = data.walk[data.walk.length - 1];
        scene.turn([end[0] / Math.hypot(end[0], end[1]), end[1] / Math.hypot(end[0], end[1])]);
        if (!data.ends.some((value) => sameValue(value, norm(end)))) data.ends = [...data.ends, norm(end)].sort((a, b) => b - a);
      };
      scene.restart = () => { scene.data.walk = []; scene.turn(unit(2 * Math.PI * scene.data.starts())); };
      scene.tools.button("One step", () => {
        const { data } = scene, [x, y] = data.current, next = walkFrom(data.state.sites[0]);
        data.walk = [...data.walk, data.current].slice(-12);
        if (next.length < 2) scene.run();
        else scene.turn([x / Math.hypot(x, y), y / Math.hypot(x, y)]);
      });
      scene.tools.button("Run to the end", scene.run);
      scene.tools.button("Start elsewhere", scene.restart);
    },
    draw(scene) {
      const { sites } = scene.data.state;
      if (Math.hypot(sites[0][0] + sites[1][0], sites[0][1] + sites[1][1]) > 1e-9) sites[1] = [-sites[0][0], -sites[0][1]];
      scene.plane.draw();
      scene.solid.draw();
    },
    began: (scene) => { scene.solid.reset(); scene.fit(); scene.solid.draw(); },
    said: ({ data }) => `sizes ${list(data.answer.sizes)}\nlength of the sums ${figure(data.objective)}\ncorners passed: ${data.walk.map((c) => figure(norm(c))).join(", ") || "none yet"}`,
    solved: ({ data }) => data.ends.length > 1,
    show(scene) { for (let t = 0; t < 60 && scene.data.ends.length < 2; t++) { scene.restart(); scene.run(); } },
    answer: ({ data }) => `The ends are worth ${list(data.ends)}. At each of them no step helps, and the page of the laboratory would say "step": optimal for these sites. ` +
      "Which one is the best of all clusterings, no run can tell: that needs a bound, in the next scene.",
  };

  const global = {
    title: "Global bound",
    sentence: "One linear program a direction tells how far out the polytope of sums reaches there; a few directions together enclose all clusterings.",
    formula: [term("best", "best found", (s) => figure(s.data.best)), "≤", term("all", "max |c<sub>0</sub>| + |c<sub>1</sub>|"), "≤",
      term("bound", "max<sub>t</sub> h(u<sub>t</sub>) / cos(π / N)", (s) => figure(s.data.bound)), "with", term("nets", "N directions", (s) => String(s.data.count))],
    question: "How many directions does it take until the bound is within one per cent of the best clustering found?",
    start: () => ({ count: 4 }),
    update({ data }) {
      const angles = Array.from({ length: data.count }, (_, t) => (2 * Math.PI * t) / data.count);
      data.reached = angles.map((angle) => { const u = unit(angle), { at } = polytope.best(u); return { u, h: (2 * (u[0] * at[0] + u[1] * at[1])) / N, at }; });
      data.best = Math.max(...data.reached.map(({ at }) => { const walk = walkFrom([at[0] / Math.hypot(at[0], at[1]), at[1] / Math.hypot(at[0], at[1])]); return norm(walk[walk.length - 1]); }));
      data.bound = Math.max(...data.reached.map(({ h }) => h)) / Math.cos(Math.PI / data.count);
    },
    build(scene) {
      const chart = scene.pictures.appendChild(make("div", { className: "chart" })), line = numberLine(scene.pictures, "Best found and bound");
      scene.tools.slider("directions N", { min: 3, max: 48, get: () => scene.data.count, set: (v) => { scene.data.count = v; } });
      scene.more = () => {
        chart.innerHTML = netPicture(scene.data, scene.lit);
        line([{ name: "best found", value: scene.data.best }, { name: "bound", value: scene.data.bound }], [0.7 * highest, 1.5 * highest]);
      };
    },
    draw: (scene) => scene.more(),
    said: ({ data }) => `bound ÷ best found = ${(data.bound / data.best).toFixed(4)}`,
    solved: ({ data }) => data.bound <= 1.01 * data.best,
    show: ({ data }) => { data.count = 32; },
    answer: ({ data }) => `${data.count} are enough: none of the ${polytope.all.length} clusterings reaches more than ${figure(data.bound)}, and one with ${figure(data.best)} is in hand. ` +
      "That is a statement on all clusterings, from a few linear programs; the library calls it global.",
  };

  function netPicture({ reached, bound, best }, lit) {
    const S = 140 / (1.42 * highest), X = (x) => 200 + S * x, Y = (y) => 170 - S * y, scale = 2 / N;
    const dots = polytope.all.map(({ at }) => `<circle cx="${X(scale * at[0]).toFixed(1)}" cy="${Y(scale * at[1]).toFixed(1)}" r="1.4" fill="var(--quiet)"/>`).join("");
    const shadow = outline(polytope.corners.map(({ at }) => at)).map(([x, y]) => `${X(scale * x).toFixed(1)},${Y(scale * y).toFixed(1)}`).join(" ");
    const corners = reached.map(({ u, h }, t) => {
      const next = reached[(t + 1) % reached.length], det = u[0] * next.u[1] - u[1] * next.u[0];
      return `${X((h * next.u[1] - next.h * u[1]) / det).toFixed(1)},${Y((u[0] * next.h - next.u[0] * h) / det).toFixed(1)}`;
    }).join(" ");
    const circle = (r, colour, dashes) => `<circle cx="200" cy="170" r="${S * r}" fill="none" stroke="${colour}" stroke-width="2" ${dashes}/>`;
    return `<svg viewBox="0 0 400 340" role="img" aria-label="All clusterings by the sum of cluster 0, the net of directions around them, and the circle of the bound">` +
      `<polygon points="${corners}" fill="var(--soft)" stroke="${HUES[4]}" stroke-width="${lit === "nets" ? 4 : 2}"/><polygon points="${shadow}" fill="none" stroke="${HUES[0]}" stroke-width="${lit === "all" ? 4 : 2}"/>${dots}` +
      `${circle(bound, theme.ink, lit === "bound" ? "" : 'stroke-dasharray="6 5"')}${circle(best, HUES[2], "")}` +
      `<text x="8" y="18" font-size="13" fill="var(--ink)">dashed: bound; green: best found</text><text x="8" y="334" font-size="13" fill="var(--ink)">blue: polytope; orange: net of directions</text></svg>`;
  }

  root.PartitopeScenes.push(local, global);
  root.PartitopeGlobal = { walkFrom, norm, polytope };
})(window);
