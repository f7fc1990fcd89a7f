"use strict";
/* The laboratory of bounds: the best value over one bound with its one-sided prices, the map of common bounds with its
   free zone, the bound to blame, and all of it as SVG, CSV and BibTeX. The value is the smallest sum of squares V.
   It begins with an example; a link of the page (links.js) opens it with the points, sites and bounds of that page. */
(function (root) {
  const { make, solve } = root.PartitopeArticle, { example, cost, curve } = root.PartitopeExample;
  const { laboratory, table, cell } = root.PartitopeLaboratory, { figure } = root.PartitopePictures;
  const SIDES = ["lower", "upper"], MOST = 500, GRID = 25;
  const BIBTEX = "@software{partitope,\n  title = {partitope: clusterings as explicit optimisation models},\n  author = {" + "{The partitope authors}},\n  version = {0.1.0},\n  license = {MIT}\n}\n";

  /* V where one bound has another value, null where no assignment is left. */
  function valueAt(state, side, i, bound, nearby) {
    if (bound < 0 || bound > state.points.length) return null;
    const at = { ...state, [side]: state[side].map((b, c) => (c === i ? bound : b)) }, found = solve(at, nearby);
    return found.error ? null : cost(at, found.labels);
  }

  /* Every whole value of a bound: V, and the price to its left and right (positive at an upper bound, negative at a lower). */
  function study(state, side, i) {
    const n = state.points.length, nearby = solve(state).prices, all = Array.from({ length: n + 1 }, (_, bound) => ({ bound, v: valueAt(state, side, i, bound, nearby) })).filter(({ v }) => v !== null);
    return all.map((one, t) => {
      const before = all[t - 1], after = all[t + 1], slope = (a, b) => (a && b && b.bound - a.bound === 1 ? a.v - b.v + 0 : null);
      const left = slope(before, one), right = slope(one, after);
      return { ...one, left, right, bends: left !== null && right !== null && Math.abs(left - right) > 1e-9 * Math.max(1, Math.abs(one.v)) };
    });
  }

  /* Whole numbers from one to another, all or evenly spread. */
  const spread = (from, to) => [...new Set(Array.from({ length: GRID }, (_, t) => Math.round(from + ((to - from) * t) / (GRID - 1))))];

  /* The common bounds l, u of all clusters: V for pairs that allow an assignment, on a grid where there are many. */
  function commonBounds(state) {
    const n = state.points.length, k = state.sites.length;
    const nearby = []; // prices of the same u and the l before
    return spread(0, Math.floor(n / k)).flatMap((l) => spread(Math.ceil(n / k), n).map((u, t) => {
      const at = { ...state, lower: Array(k).fill(l), upper: Array(k).fill(u) }, found = solve(at, nearby[t] ?? nearby[t - 1]);
      nearby[t] = found.prices;
      return { l, u, v: cost(at, found.labels) };
    }));
  }

  function boundsLaboratory(home) {
    let first = example(), common = null, curveNow = null, key = "";
    const lab = laboratory(home, "bounds", "Laboratory: what bounds cost",
      "The best sum of squares as one bound moves: it bends at whole numbers, and between two of them its slope is the price. The map shows common bounds; where V does not change, bounds are free. Your own points come from the page: set them up there and follow “What bounds cost here”.",
      () => ({ state: structuredClone(first), side: "upper", cluster: 0 }));
    const chart = lab.pictures.appendChild(make("div", { className: "chart" })), map = lab.pictures.appendChild(make("div", { className: "chart" }));
    const choice = (label, set) => {
      const select = make("select");
      select.addEventListener("change", () => { set(select.value); lab.refresh(); });
      lab.panel.append(make("label", {}, `${label} `, select));
      return (options, value) => { select.replaceChildren(...options.map((text) => new Option(text))); select.value = value; };
    };
    const showSide = choice("Bound", (v) => { lab.data.side = v; }), showCluster = choice("of cluster", (v) => { lab.data.cluster = Number(v); });
    lab.tools.slider("its value", { min: () => lab.data.values[0].bound, max: () => lab.data.values[lab.data.values.length - 1].bound,
      get: () => lab.data.state[lab.data.side][lab.data.cluster], set: (v) => { lab.data.state[lab.data.side][lab.data.cluster] = v; } });
    const said = lab.panel.appendChild(make("p", { className: "said", role: "status" })), blame = lab.panel.appendChild(make("div"));
    const bar = lab.panel.appendChild(make("div", { className: "bar" }));
    const save = (text, name, type, content) => {
      const made = make("button", { type: "button", textContent: text });
      made.addEventListener("click", () => {
        const link = make("a", { href: URL.createObjectURL(new Blob([content()], { type })), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
      bar.append(made);
    };
    const svgOf = (picture) => () => {
      const svg = picture.querySelector("svg").cloneNode(true), style = getComputedStyle(document.documentElement);
      svg.setAttribute("xmlns", "http:" + "//www.w3.org/2000/svg");
      return svg.outerHTML.replace(/var\((--\w+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    };
    save("SVG", "bound.svg", "image/svg+xml", svgOf(chart));
    save("Map as a picture", "map.svg", "image/svg+xml", svgOf(map));
    save("Map as a table", "map.csv", "text/csv", () => `lower,upper,value\n${common.map(({ l, u, v }) => [l, u, v].join(",")).join("\n")}\n`);
    save("CSV", "bound.csv", "text/csv", () => `bound,value,price_left,price_right\n${lab.data.values.map(({ bound, v, left, right }) => [bound, v, left ?? "", right ?? ""].join(",")).join("\n")}\n`);
    save("BibTeX", "partitope.bib", "text/plain", () => BIBTEX);
    lab.resetButton();
    lab.refresh = () => {
      const { data } = lab, { state, side, cluster } = data, now = state[side][cluster], k = state.sites.length;
      const others = JSON.stringify([side, cluster, SIDES.map((name) => state[name].filter((_, i) => name !== side || i !== cluster))]);
      if (key !== others) [key, curveNow] = [others, study(state, side, cluster)]; // as long as only this bound moves, the curve stays
      data.values = curveNow;
      data.common = common ??= commonBounds(state); // points and sites stay where they are here
      showSide(SIDES, side);
      showCluster(state.sites.map((_, i) => String(i)), String(cluster));
      lab.tools.refresh();
      const here = data.values.find(({ bound }) => bound === now), zero = (v) => (v === null ? "none" : figure(v));
      said.textContent = `V = ${figure(here.v)}\nprice to the left ${zero(here.left)}, to the right ${zero(here.right)}\n${data.values.filter((one) => one.bends).length} breakpoints from ${data.values[0].bound} to ${data.values[data.values.length - 1].bound}`;
      const rows = state.sites.flatMap((_, i) => SIDES.map((name) => {
        const bound = state[name][i], looser = valueAt(state, name, i, name === "upper" ? bound + 1 : bound - 1);
        return { name: `${name} of ${i}`, bound, gain: looser === null ? 0 : here.v - looser };
      })).sort((a, b) => b.gain - a.gain);
      data.blame = rows;
      blame.replaceChildren(table("Which bound is to blame: what one place more would save", ["bound", "value", "one place saves"],
        rows.slice(0, 8).map(({ name, bound, gain }, t) => [name, cell(String(bound)), cell(figure(gain), t === 0 && gain > 1e-9 ? "lit" : "")])));
      chart.innerHTML = chartPicture(data.values, now, `${side} bound of cluster ${cluster}`);
      map.innerHTML = mapPicture(common, state.points.length, k);
    };

    /* Shows the points, sites and bounds of a link; a sentence where that cannot be. */
    lab.open = ({ state }) => {
      const { kind, points, lower, upper } = state, n = points.length;
      if (kind !== "lsa") throw new Error("This laboratory speaks of sums of squares: choose least squares in the page, and follow the link again.");
      if (n > MOST) throw new Error(`The link holds ${n} points; this laboratory solves hundreds of programs and takes at most ${MOST}.`);
      const within = { ...state, upper: upper.map((u) => Math.min(u, n)) }, { error } = solve(within);
      if (error) throw new Error(error);
      [first, common, key] = [within, null, ""];
      lab.data = { state: structuredClone(first), side: "upper", cluster: 0 };
      lab.refresh();
    };
    lab.refuse = (sentence) => { said.textContent = sentence; };

    function chartPicture(values, now, label) {
      const vs = values.map(({ v }) => v), [low, high] = [Math.min(...vs), Math.max(...vs)], span = values[values.length - 1].bound - values[0].bound || 1;
      const X = (b) => 60 + (420 * (b - values[0].bound)) / span, Y = (v) => 220 - (180 * (v - low)) / (high - low || 1);
      const dots = values.map(({ bound, v, bends }) => `<circle cx="${X(bound)}" cy="${Y(v)}" r="${bound === now ? 8 : bends ? 4.5 : 2.5}" fill="${bound === now ? "var(--focus)" : "var(--mark)"}"/>`).join("");
      const every = Math.ceil(values.length / 9), ticks = values.filter((_, t) => t % every === 0).map(({ bound }) => `<text x="${X(bound)}" y="246" font-size="14" text-anchor="middle" fill="var(--ink)">${bound}</text>`).join("");
      return `<svg viewBox="0 0 500 272" role="img" aria-label="V, the best sum of squares, over the ${label}; large dots are breakpoints"><polyline points="${values.map(({ bound, v }) => `${X(bound)},${Y(v)}`).join(" ")}" fill="none" stroke="var(--mark)" stroke-width="2"/>${dots}${ticks}` +
        `<text x="4" y="18" font-size="14" fill="var(--ink)">V</text><text x="4" y="${Y(high) + 5}" font-size="13" fill="var(--ink)">${figure(high)}</text><text x="4" y="${Y(low) + 5}" font-size="13" fill="var(--ink)">${figure(low)}</text><text x="270" y="268" font-size="14" text-anchor="middle" fill="var(--ink)">${label}</text></svg>`;
    }

    function mapPicture(pairs, n, k) {
      const top = Math.floor(n / k), least = Math.min(...pairs.map(({ v }) => v)), most = Math.max(...pairs.map(({ v }) => v));
      const wide = 420 / (n + 1), high = 190 / (top + 1), free = ({ v }) => v <= least * (1 + 1e-9);
      const [ls, us] = ["l", "u"].map((name) => [...new Set(pairs.map((pair) => pair[name]))]), next = (list, v) => (list[list.indexOf(v) + 1] ?? v + 1) - v;
      const squares = pairs.map((pair) => `<rect x="${50 + pair.u * wide}" y="${20 + (top + 1 - pair.l - next(ls, pair.l)) * high}" width="${next(us, pair.u) * wide}" height="${next(ls, pair.l) * high}" stroke="var(--paper)" ` +
        (free(pair) ? 'fill="var(--good)"' : `fill="var(--mark)" fill-opacity="${(0.15 + (0.75 * (pair.v - least)) / (most - least || 1)).toFixed(2)}"`) + "/>").join("");
      const ticks = [0, n / 3, (2 * n) / 3, n].map(Math.round).map((u) => `<text x="${50 + (u + 0.5) * wide}" y="228" font-size="14" text-anchor="middle" fill="var(--ink)">${u}</text>`).join("") +
        [...new Set([0, Math.floor(top / 2), top])].map((l) => `<text x="42" y="${25 + (top - l + 0.5) * high}" font-size="14" text-anchor="end" fill="var(--ink)">${l}</text>`).join("");
      return `<svg viewBox="0 0 500 272" role="img" aria-label="Map of common bounds: feasible pairs, stronger where V is larger, green where bounds are free">${squares}${ticks}` +
        `<text x="260" y="246" font-size="14" text-anchor="middle" fill="var(--ink)">common upper bound u</text><text x="4" y="14" font-size="14" fill="var(--ink)">common lower bound l</text>` +
        `<text x="50" y="266" font-size="13" fill="var(--ink)">blue: dearer; green: free; blank: no clustering</text></svg>`;
    }
    lab.refresh();
    return lab;
  }

  root.PartitopeLaboratories.push(boundsLaboratory);
  root.PartitopeBounds = { study, curve };
})(window);
