"use strict";
/* Points: columns of text files, examples, sites spread over them. Pure functions, no page.

   A file is split at the first of tab, semicolon, comma and blanks that gives two columns of numbers; everywhere but
   between commas a number may have a decimal comma. */
(function (root) {
  const { MAX_POINTS, LARGEST } = root.PartitopeLinks;
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, COUNTS_ROWS = /^(.*[_ ])?(id|index|nr|no|row|key)$/i;

  /* Coordinates that a hand moved keep six significant digits: a pixel is coarser. */
  const short = (value) => Number(value.toPrecision(6));

  function toNumber(word, decimal) {
    let text = word.trim();
    if (decimal === "," && text.includes(",")) text = text.includes(".") ? "" : text.replaceAll(",", ".");
    const value = NUMBER.test(text) ? Number(text) : NaN;
    return Number.isFinite(value) ? value : null;
  }

  /* Fields of a line; a field in double quotes may hold the delimiter. */
  function fields(line, delimiter) {
    if (delimiter === null) return line.trim().split(/\s+/);
    const words = [""];
    let quoted = false;
    for (let at = 0; at < line.length; at++) {
      const letter = line[at];
      if (letter === '"' && quoted && line[at + 1] === '"') words[words.length - 1] += line[at++];
      else if (letter === '"' && (quoted || words[words.length - 1] === "")) quoted = !quoted;
      else if (letter === delimiter && !quoted) words.push("");
      else words[words.length - 1] += letter;
    }
    return words.map((word) => word.trim());
  }

  function splitAt(delimiter, lines) {
    const rows = lines.map(({ number, line }) => ({ number, words: fields(line, delimiter) }));
    const body = rows.length > 1 ? rows.slice(1) : rows, width = rows.reduce((w, row) => Math.max(w, row.words.length), 0);
    const words = body.flatMap((row) => row.words);
    if (delimiter === "," && words.some((w) => { const parts = w.split(/\s+/); return parts.length === 2 && parts.every((p) => NUMBER.test(p)); })) {
      return null; // "1,5 2,5" are two numbers with decimal commas
    }
    const decimal = delimiter !== "," && words.some((w) => toNumber(w, ".") === null && toNumber(w, ",") !== null) ? "," : ".";
    const values = Array.from({ length: width }, (_, c) => body.map((row) => (c < row.words.length ? toNumber(row.words[c], decimal) : null)));
    const numeric = values.map((_, c) => c).filter((c) => 2 * values[c].filter((v) => v !== null).length >= body.length);
    if (numeric.length < 2) return null;
    const first = rows[0].words, headed = rows.length > 1 && numeric.every((c) => c >= first.length || toNumber(first[c], decimal) === null);
    const names = values.map((_, c) => (headed && c < first.length && first[c]) || `column ${c + 1}`);
    const counts = (c) => {
      const own = c < first.length ? toNumber(first[c], decimal) : null, known = [...(headed ? [] : [own]), ...values[c]].filter((v) => v !== null);
      return COUNTS_ROWS.test(names[c]) || (known.length > 2 && known.every((v, j) => !j || v - known[j - 1] === 1));
    };
    const usual = [...numeric.filter((c) => !counts(c)), ...numeric.filter(counts)].slice(0, 2).sort((a, b) => a - b);
    return { names, rows: headed ? rows.slice(1) : rows, numeric, usual, decimal };
  }

  /* The columns of a text. Throws a sentence with the number of the line that does not fit. */
  function readColumns(text) {
    const lines = text.replace(/[\v\f\x1c-\x1f\x85\uFEFF]/g, " ").split(/\r\n|\r|\n/).map((line, at) => ({ number: at + 1, line })).filter(({ line }) => line.trim());
    for (const delimiter of ["\t", ";", ",", null]) {
      const columns = splitAt(delimiter, lines);
      if (columns) return columns;
    }
    const bad = lines.slice(1).find(({ line }) => (line.match(/[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/gi) || []).length < 2);
    throw new Error(`${bad ? `line ${bad.number} does not hold` : "no two columns hold"} two numbers: mend or remove it`);
  }

  /* The points that two columns give. */
  function pairs({ names, rows, decimal }, chosen) {
    if (rows.length > MAX_POINTS) throw new Error(`the file holds ${rows.length} points, at most ${MAX_POINTS} are shown`);
    return rows.map(({ number, words }) => chosen.map((c) => {
      const value = c < words.length ? toNumber(words[c], decimal) : null;
      if (value === null) throw new Error(`line ${number} has ${c < words.length ? `'${words[c].slice(0, 40)}'` : "nothing"} in ${names[c].slice(0, 40)}, expected a number: mend or remove it`);
      if (Math.abs(value) > LARGEST) throw new Error(`line ${number} has ${words[c]}, at most ${LARGEST} is shown: rescale the column`);
      return value;
    }));
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

  const SEED = 7; // of the examples that the page offers

  /* The name of the example that these points are; null of any others. */
  function builtIn(points) {
    const text = JSON.stringify(points);
    return Object.keys(EXAMPLES).find((name) => text === JSON.stringify(example(name, SEED))) || null;
  }

  const builtInPoints = (name) => (Object.hasOwn(EXAMPLES, name) ? example(name, SEED) : null);

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

  root.PartitopePoints = { readColumns, pairs, example, builtIn, builtInPoints, SEED, spreadSites, random, normal, short };
})(typeof globalThis === "object" ? globalThis : window);
