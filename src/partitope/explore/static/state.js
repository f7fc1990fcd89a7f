"use strict";
/* States of the page as links, files of points, and examples. Pure functions, no page. */
(function (root) {
  const MAX_CLUSTERS = 8, MAX_POINTS = 5000;

  /* Coordinates keep six significant digits when they enter, so that a link stays short. */
  const short = (value) => Number(value.toPrecision(6));

  function toLink(state) {
    const pairs = (list) => list.map((p) => `${p[0]},${p[1]}`).join(";");
    return `#kind=${state.kind}&l=${state.lower.join(",")}&u=${state.upper.join(",")}` +
      `&s=${pairs(state.sites)}&p=${pairs(state.points)}`;
  }

  /* The state of a link, or null when it is not one. */
  function fromLink(hash) {
    const parts = new Map(hash.replace(/^#/, "").split("&").map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
    }));
    const numbers = (text) => (text || "").split(",").map((word) => (word === "" ? NaN : Number(word)));
    const pairs = (text) => (text || "").split(";").map(numbers);
    const state = {
      kind: parts.get("kind"),
      lower: numbers(parts.get("l")),
      upper: numbers(parts.get("u")),
      sites: pairs(parts.get("s")),
      points: pairs(parts.get("p")),
    };
    return usable(state) ? state : null;
  }

  function usable(state) {
    const k = state.sites.length;
    const pair = (p) => p.length === 2 && p.every(Number.isFinite);
    const size = (v) => Number.isInteger(v) && v >= 0;
    return ["lsa", "csa"].includes(state.kind) && k >= 1 && k <= MAX_CLUSTERS && state.sites.every(pair) &&
      state.points.length <= MAX_POINTS && state.points.every(pair) &&
      state.lower.length === k && state.upper.length === k && [...state.lower, ...state.upper].every(size);
  }

  /* Points of a text of two columns; a first line without numbers is a heading. Throws with the line's number. */
  function readPoints(text) {
    const points = [];
    text.split(/\r?\n/).forEach((line, index) => {
      if (!line.trim()) return;
      const words = line.trim().split(/\s*[,;\t]\s*|\s+/);
      const pair = words.slice(0, 2).map((word) => (word === "" ? NaN : Number(word)));
      if (pair.length === 2 && pair.every(Number.isFinite)) points.push(pair.map(short));
      else if (points.length || index > 0) throw new Error(`line ${index + 1} does not start with two numbers`);
    });
    if (!points.length) throw new Error("the file holds no line with two numbers");
    if (points.length > MAX_POINTS) throw new Error(`the file holds ${points.length} points, at most ${MAX_POINTS} are shown`);
    return points;
  }

  /* A small generator of random numbers (mulberry32), the same on every machine. */
  function random(seed) {
    let a = seed >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) >>> 0;
      let t = a;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  function normal(draw) {
    return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  }

  const EXAMPLES = {
    groups: (draw) => [[90, 2.2, 7], [40, 7.5, 7.5], [20, 6, 2.2]].flatMap(([n, x, y]) =>
      Array.from({ length: n }, () => [x + 1.1 * normal(draw), y + 1.1 * normal(draw)])),
    ring: (draw) => Array.from({ length: 160 }, () => {
      const angle = 2 * Math.PI * draw(), radius = 3.6 + 0.5 * normal(draw);
      return [5 + radius * Math.cos(angle), 5 + radius * Math.sin(angle)];
    }),
    moons: (draw) => Array.from({ length: 160 }, (_, j) => {
      const angle = Math.PI * draw(), noise = () => 0.28 * normal(draw);
      return j % 2 ? [3.4 + 2.6 * Math.cos(angle) + noise(), 4.2 + 2.6 * Math.sin(angle) + noise()]
        : [6 - 2.6 * Math.cos(angle) + noise(), 5.6 - 2.6 * Math.sin(angle) + noise()];
    }),
    even: (draw) => Array.from({ length: 500 }, () => [0.5 + 9 * draw(), 0.5 + 9 * draw()]),
  };

  function example(name, seed) {
    return EXAMPLES[name](random(seed)).map((p) => p.map(short));
  }

  /* k different points as sites: the first at random, each next one far from those before (k-means++). */
  function spreadSites(points, k, seed) {
    const draw = random(seed), chosen = [points[Math.floor(draw() * points.length)]];
    while (chosen.length < k) {
      const square = points.map((p) => Math.min(...chosen.map((a) => (p[0] - a[0]) ** 2 + (p[1] - a[1]) ** 2)));
      let rest = draw() * square.reduce((a, b) => a + b, 0), next = 0;
      while (next < points.length - 1 && (rest -= square[next]) > 0) next++;
      chosen.push(points[next]);
    }
    return chosen.map((p) => p.slice());
  }

  root.PartitopeState = { toLink, fromLink, usable, readPoints, example, spreadSites, short, MAX_CLUSTERS, MAX_POINTS };
})(typeof globalThis === "object" ? globalThis : window);
