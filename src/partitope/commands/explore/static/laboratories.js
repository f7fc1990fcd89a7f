"use strict";
/* The laboratories of the polytope and of the simplex method. Each is a function of the place it is built in. */
(function (root) {
  const { make, controls, plane, numberLine, solve } = root.PartitopeArticle;
  const { figure, tint, HUES } = root.PartitopePictures, { build, centred } = root.PartitopePolytope;
  const { drawPolytope } = root.PartitopeSolids, { first, pivot, choose, labelsOf } = root.PartitopeSimplex;
  const { scoreModel, assign } = root.PartitopeEngine;

  /* The frame of a laboratory: a title, a sentence, pictures and a panel of controls, and a reset. */
  function laboratory(home, id, title, sentence, start) {
    const pictures = make("div", { className: "pictures" }), panel = make("div", { className: "panel" });
    const self = { data: start(), pictures, panel, id, lit: null };
    const below = make("div");
    home.append(make("section", { className: "scene laboratory-part", id, "aria-labelledby": `${id}-title` },
      make("h2", { id: `${id}-title`, textContent: title }), make("p", { className: "sentence", textContent: sentence }),
      make("div", { className: "stage" }, pictures, panel), below));
    self.below = below;
    self.tools = controls(self, panel);
    self.moved = () => self.refresh();
    self.resetButton = () => {
      const reset = make("button", { type: "button", textContent: "Reset", className: "reset" });
      reset.addEventListener("click", () => { self.data = start(); self.refresh(); self.began?.(); });
      panel.append(reset);
    };
    return self;
  }

  const table = (caption, head, rows) => make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    make("table", {}, make("caption", { className: "unseen", textContent: caption }), make("thead", {}, make("tr", {}, ...head.map((text) => (text ? make("th", { scope: "col", textContent: text }) : make("td"))))),
      make("tbody", {}, ...rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row", textContent: name }), ...cells)))));
  const cell = (text, className = "") => make("td", { textContent: text, className });

  const POINTS = [[3, 7], [-5, 2], [1, -8], [9, 4], [-7, -6], [2, 3], [-1, 9], [6, -5], [-9, 1], [4, -2]];

  function polytopeLaboratory(home) {
    const n = POINTS.length;
    const lab = laboratory(home, "polytope", "Laboratory: the polytope",
      "All clusterings of ten points into two clusters, drawn at the sum of cluster 0 and, upwards, its size; corners of their hull are the clusterings that a linear program can return. Orange facets are cut by the bounds; grey dots on the floor are the shadow of all.",
      () => ({ state: { kind: "csa", points: POINTS.map((p) => p.slice()), sites: [[0.8, 0.6], [-0.8, -0.6]], lower: [2, 0], upper: [8, n] }, walk: [], key: "", all: true }));
    lab.plane = plane(lab, lab.pictures, () => ({ state: lab.data.state, answer: lab.data.answer, prices: lab.data.answer.prices, lit: null }), { label: "Ten points and two directions" });
    const canvas = lab.pictures.appendChild(make("canvas", { tabIndex: 0, role: "application", "aria-label": "The polytope in three dimensions; arrows turn it, plus and minus bring it nearer" }));
    const space = lab.space = root.PartitopeSpace(canvas, (pen, at) => drawPolytope(pen, at, lab.data.polytope, n, {
      current: lab.data.current, direction: lab.data.direction, walk: lab.data.walk, all: lab.data.all,
    }));
    for (const name of ["lower", "upper"]) {
      lab.tools.slider(`cluster 0 ${name === "lower" ? "at least" : "at most"}`, { min: name === "lower" ? 0 : 1, max: name === "lower" ? n - 1 : n, get: () => lab.data.state[name][0], set: (v) => {
        const { state } = lab.data, other = name === "lower" ? "upper" : "lower";
        state[name][0] = v;
        if (state.lower[0] > state.upper[0]) state[other][0] = v;
      } });
    }
    lab.tools.button("Walk to a farthest corner", () => {
      const { data } = lab, walk = [data.current];
      for (let t = 0; t < 50; t++) {
        const c = walk[walk.length - 1], next = data.polytope.best(c).at;
        if (Math.hypot(next[0], next[1]) <= Math.hypot(c[0], c[1])) break;
        walk.push(next);
      }
      const [x, y] = walk[walk.length - 1], size = Math.hypot(x, y) || 1;
      data.state.sites = [[x / size, y / size], [-x / size, -y / size]];
      data.walk = walk;
      data.key = "walked";
    });
    lab.tools.button("Show or hide the clusterings", () => { lab.data.all = !lab.data.all; });
    const said = lab.panel.appendChild(make("p", { className: "said", role: "status" })), matrix = lab.panel.appendChild(make("div"));
    lab.resetButton();
    lab.fit = () => lab.plane.fit();
    lab.began = () => { space.reset(); lab.fit(); space.draw(); };
    lab.refresh = () => {
      const { data } = lab, { state } = data;
      state.points = state.points.map((p) => p.map(Math.round)); // whole coordinates keep the hull exact
      const key = JSON.stringify([state.points, state.lower, state.upper]);
      if (key !== data.key) {
        if (data.key !== "walked") data.walk = [];
        data.polytope = build(state.points, state.lower, state.upper);
        data.key = key;
      }
      data.answer = solve(state);
      const y = centred(state.points);
      data.current = data.answer.labels.reduce((c, i, j) => (i ? c : [c[0] + y[j][0], c[1] + y[j][1], c[2] + 1]), [0, 0, 0]);
      data.direction = [state.sites[0][0] - state.sites[1][0], state.sites[0][1] - state.sites[1][1]];
      lab.tools.refresh();
      said.textContent = `${data.polytope.all.length} clusterings, ${data.polytope.corners.length} corners, ${data.polytope.facets.length} facets\n` +
        `best score: ${figure(data.answer.primal)}, price of cluster 0: ${figure(data.answer.prices[0] - data.answer.prices[1])}` + (data.walk.length ? `\nwalk of ${data.walk.length - 1} steps: lengths ${data.walk.map((c) => figure(Math.hypot(c[0], c[1]) / n)).join(", ")}` : "");
      matrix.replaceChildren(table("The matrix xi of the best corner", ["ξ", ...state.points.map((_, j) => String(j))],
        [0, 1].map((i) => [String(i), ...data.answer.labels.map((l) => cell(l === i ? "1" : "0", l === i ? "lit" : ""))])));
      lab.plane.draw();
      if (canvas.clientWidth) space.draw();
    };
    lab.refresh();
    return lab;
  }

  /* Every cluster holds exactly two of six points, and the nearest sites would have it otherwise. */
  const SMALL = { kind: "lsa", points: [[7.5, 1.5], [2.5, 0.5], [2, 6], [1, 4], [2, 1], [3, 4]], sites: [[2, 3], [5, 5], [7, 2]], lower: [2, 2, 2], upper: [2, 2, 2] };

  function simplexLaboratory(home) {
    const model = scoreModel(SMALL), { n, k } = model, gamma = SMALL.points.map((_, j) => Array.from({ length: k }, (_, i) => model.gamma[j * k + i]));
    const paths = [];
    const optimum = assign(model, SMALL.lower, SMALL.upper, (step) => paths.push(step));
    const nearest = paths.length ? paths[0].labels : Array.from(optimum.labels);
    const begin = () => ({ steps: [first(gamma, SMALL.lower, SMALL.upper)], at: 0, path: 0, tried: "" });
    const lab = laboratory(home, "simplex", "Laboratory: the linear program, pivot by pivot",
      "Six points, three clusters of exactly two. The basis is a tree; an arc with a positive reduced cost closes a cycle around which points move. Primal value and dual bound close in on each other.", begin);
    const picture = lab.pictures.appendChild(make("div", { className: "chart" })), line = numberLine(lab.pictures, "Primal value and dual bound");
    const now = () => lab.data.steps[lab.data.at];
    const enter = (at) => {
      const { data } = lab;
      data.steps = [...data.steps.slice(0, data.at + 1), pivot(now(), at)];
      data.at++;
    };
    const range = (() => {
      let basis = lab.data.steps[0];
      const values = [basis.primal, basis.dual];
      for (let at = choose(basis); at !== null; at = choose(basis)) { basis = pivot(basis, at); values.push(basis.primal, basis.dual); }
      return [Math.min(...values) - 5, Math.max(...values) + 5];
    })();
    const back = lab.tools.button("Back", () => { lab.data.at--; }), forth = lab.tools.button("Forwards", () => {
      if (lab.data.at < lab.data.steps.length - 1) lab.data.at++;
      else enter(choose(now()));
    });
    const run = lab.tools.button("To the end", () => { for (let at = choose(now()); at !== null; at = choose(now())) enter(at); });
    const said = lab.panel.appendChild(make("p", { className: "said", role: "status" }));
    lab.resetButton();
    const tableau = lab.below.appendChild(make("div")), engine = lab.below.appendChild(make("div", { className: "question" }));
    const name = ({ from, to }) => (from < n ? `point ${from} → cluster ${to - n}` : `cluster ${from - n} → root`);

    function engineSteps() {
      const { data } = lab, step = paths[data.path - 1];
      const labels = nearest.slice();
      for (const { moves } of paths.slice(0, data.path)) for (const [j, i] of moves) labels[j] = i;
      const go = (text, by, off) => {
        const made = make("button", { type: "button", textContent: text, disabled: off });
        made.addEventListener("click", () => { data.path += by; lab.refresh(); engine.querySelector(`button:nth-of-type(${by > 0 ? 2 : 1})`)?.focus(); });
        return made;
      };
      engine.replaceChildren(make("p", {}, make("strong", { textContent: "Beside it, the engine. " }), "It starts with every point at its nearest site and moves one point an arc along shortest paths from clusters that are too full; no basis is needed. "),
        make("p", { className: "said", textContent: (step ? `path ${data.path} of ${paths.length}: ${step.moves.map(([j, i]) => `point ${j} to cluster ${i}`).join(", ")}` : `start: ${paths.length} paths to come`) + `\nlabels ${labels.join(" ")}` }),
        make("div", { className: "bar" }, go("Previous path", -1, data.path === 0), go("Next path", 1, data.path === paths.length)));
    }

    lab.refresh = () => {
      const { data } = lab, basis = now(), { arcs, last } = basis;
      lab.tools.refresh();
      back.disabled = data.at === 0;
      forth.disabled = data.at === data.steps.length - 1 && !basis.entering.length;
      run.disabled = !basis.entering.length;
      const labels = labelsOf(basis);
      said.textContent = `pivot ${data.at}: labels ${labels.join(" ")}\n` + (last ? `${name(arcs[last.enter])} came in, ${name(arcs[last.leave])} went out, ` +
        (last.theta > 0 ? `objective up by ${figure(Math.abs(last.gain) * last.theta)}` : "no point moved (a degenerate pivot: other prices, same clustering)") : "the points in their order, all prices zero") +
        (basis.entering.length ? `\nWhich arc next? ${basis.entering.length === 1 ? "One improves" : `${basis.entering.length} improve`}: choose in the table.` : "\nNo arc improves: this is optimal, and D(μ) proves it.");
      picture.innerHTML = treePicture(basis);
      line([{ name: "primal", value: basis.primal }, { name: "dual", value: basis.dual }], range);
      const root_ = arcs.slice(n * k);
      const shown = (at) => {
        const arc = arcs[at], value = figure(basis.reduced[at]);
        if (arc.basic) return cell(`basis, ${figure(arc.flow)}`, "lit");
        if (!basis.entering.includes(at)) return cell(value);
        const button = make("button", { type: "button", textContent: value, "aria-label": `Let ${name(arc)} enter, reduced cost ${value}` });
        button.addEventListener("click", () => { enter(at); lab.refresh(); });
        return make("td", {}, button);
      };
      tableau.replaceChildren(table("Basis and reduced costs", ["", ...Array.from({ length: k }, (_, i) => `cluster ${i}`), "price η"],
        [...gamma.map((_, j) => [`point ${j}`, ...Array.from({ length: k }, (_, i) => shown(j * k + i)), cell(figure(basis.eta[j]))]),
          ["to the root", ...root_.map((_, i) => shown(n * k + i)), cell("")], ["price μ", ...basis.mu.map((m) => cell(figure(m))), cell("")],
          ["bounds", ...root_.map((arc) => cell(`${arc.low} to ${arc.high}`)), cell("")]]),
      make("details", {}, make("summary", { textContent: "The program in rows" }), constraints()));
      engineSteps();
    };

    function constraints() {
      const names = Array.from({ length: n * k }, (_, at) => `ξ${at % k},${Math.floor(at / k)}`);
      const row = (holds) => names.map((_, at) => cell(holds(at) ? "1" : "", holds(at) ? "lit" : ""));
      return table("Constraints of the linear program", ["", ...names, "", ""], [
        ["score", ...names.map((_, at) => cell(figure(gamma[Math.floor(at / k)][at % k]))), cell("→"), cell("max")],
        ...Array.from({ length: n }, (_, j) => [`point ${j}`, ...row((at) => Math.floor(at / k) === j), cell("="), cell("1")]),
        ...Array.from({ length: k }, (_, i) => [`cluster ${i}`, ...row((at) => at % k === i), cell("="), cell(String(SMALL.upper[i]))])]);
    }

    function treePicture({ arcs, last, entering }) {
      const place = (node) => (node < n ? [60, 30 + 48 * node] : node < n + k ? [300, 54 + 96 * (node - n)] : [500, 150]);
      const path = (arc, style) => { const [a, b] = [place(arc.from), place(arc.to)]; return `<line x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}" ${style}/>`; };
      const lines = arcs.map((arc, at) => {
        const lit = last && last.cycle.includes(at);
        if (arc.basic) return path(arc, `stroke="${lit ? "var(--focus)" : "var(--ink)"}" stroke-width="${arc.flow > 0 ? 4 : 1.6}"`);
        if (lit && at === last.leave) return path(arc, 'stroke="var(--focus)" stroke-width="2" stroke-dasharray="2 5"');
        return entering.includes(at) ? path(arc, 'stroke="var(--faint)" stroke-width="1.4" stroke-dasharray="6 5"') : "";
      }).join("");
      const node = (id, text, fill, r) => { const [x, y] = place(id); return `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}" stroke="var(--ink)"/><text x="${x}" y="${y + 5}" font-size="15" text-anchor="middle" fill="var(--ink)">${text}</text>`; };
      return `<svg viewBox="0 0 560 300" role="img" aria-label="The basis as a tree of points, clusters and root; the cycle of the last pivot in orange">${lines}` +
        Array.from({ length: n }, (_, j) => node(j, j, "var(--paper)", 15)).join("") + Array.from({ length: k }, (_, i) => node(n + i, i, tint(HUES[i]), 19)).join("") + `${node(n + k, "root", "var(--paper)", 24)}</svg>`;
    }
    lab.refresh();
    return lab;
  }

  root.PartitopeLaboratories = [polytopeLaboratory, simplexLaboratory];
  root.PartitopeLaboratory = { laboratory, table, cell };
})(window);
