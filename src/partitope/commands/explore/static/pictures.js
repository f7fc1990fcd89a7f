"use strict";
/* Everything drawn: the canvas of points and cells, size gauges, the lifted picture, the exchange graph. */
(function (root) {
  const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#7F7F7F"];
  const HUES = [...COLOURS, "#332288", "#AA4499", "#999933", "#44AA99"]; // for more than eight clusters
  const LAMBDA = 0.8; // how far the colour of a cell is moved towards that of the paper

  /* The colours of paper and ink, light or dark, as the style sheet has them. */
  const theme = { paper: "#ffffff", ink: "#1d1d1f", quiet: "#4a4d53", faint: "#c3c6cb", soft: "#f3f4f6" };
  function readTheme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of Object.keys(theme)) theme[name] = style.getPropertyValue(`--${name}`).trim() || theme[name];
  }

  function tint(colour) {
    const parts = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)), paper = parts(theme.paper);
    return `rgb(${parts(colour).map((v, c) => Math.round(paper[c] * LAMBDA + v * (1 - LAMBDA))).join(",")})`;
  }

  /* A path of the cluster's own shape, so that colour is never needed to tell clusters apart. */
  function shape(i, r) {
    const polygon = (n, turn, size) => "M" + Array.from({ length: n }, (_, p) => {
      const angle = turn + (2 * Math.PI * p) / n;
      return `${(size * Math.cos(angle)).toFixed(2)} ${(size * Math.sin(angle)).toFixed(2)}`;
    }).join("L") + "Z";
    const w = r * 0.42, plus = `M${-w} ${-r}H${w}V${-w}H${r}V${w}H${w}V${r}H${-w}V${w}H${-r}V${-w}H${-w}Z`;
    const star = "M" + Array.from({ length: 10 }, (_, p) => {
      const size = p % 2 ? 0.48 * r : 1.2 * r, angle = -Math.PI / 2 + (Math.PI * p) / 5;
      return `${(size * Math.cos(angle)).toFixed(2)} ${(size * Math.sin(angle)).toFixed(2)}`;
    }).join("L") + "Z";
    return [
      `M${-r} 0A${r} ${r} 0 1 0 ${r} 0A${r} ${r} 0 1 0 ${-r} 0Z`, polygon(4, Math.PI / 4, 1.25 * r),
      polygon(3, -Math.PI / 2, 1.3 * r), polygon(4, 0, 1.3 * r), polygon(3, Math.PI / 2, 1.3 * r), plus,
      polygon(6, 0, 1.15 * r), star,
      polygon(5, -Math.PI / 2, 1.25 * r), `M${-r} ${-w}H${r}V${w}H${-r}Z`, `M${-w} ${-1.2 * r}H${w}V${1.2 * r}H${-w}Z`,
      `M${-r} ${-r}L${r} ${-r}L${-r} ${r}L${r} ${r}Z`,
    ][i];
  }

  const stamp = (i, size) => `<svg width="${size}" height="${size}" viewBox="-8 -8 16 16" aria-hidden="true">` +
    `<path d="${shape(i, 5.4)}" fill="${HUES[i]}" stroke="var(--ink)" stroke-width="0.8"/></svg>`;

  /* Where the sites are drawn: themselves, or on a circle about the mean when they are directions. */
  function sitePlaces(state, origin, box) {
    if (state.kind === "lsa") return state.sites;
    const radius = 0.36 * Math.min(box[1] - box[0], box[3] - box[2]);
    return state.sites.map((s) => {
      const a = PartitopeEngine.unit(s);
      return [origin[0] + radius * a[0], origin[1] + radius * a[1]];
    });
  }

  /* Where the mark of a place outside the frame waits: at the edge nearest to it. */
  function atEdge(place, [left, right, bottom, top], margin) {
    if (place[0] >= left && place[0] <= right && place[1] >= bottom && place[1] <= top) return place;
    return [Math.max(left + margin, Math.min(place[0], right - margin)), Math.max(bottom + margin, Math.min(place[1], top - margin))];
  }

  /* An arrow head at `at`, towards `to`. */
  function point(pen, at, to) {
    pen.save();
    pen.translate(at[0], at[1]);
    pen.rotate(Math.atan2(to[1] - at[1], to[0] - at[0]));
    pen.fillStyle = theme.ink;
    pen.fill(new Path2D("M10 -6L17 0L10 6Z"));
    pen.restore();
  }

  function paint(canvas, scene) {
    const { state, answer, prices, box, chosen, cursor, marked } = scene;
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const X = (x) => ((x - box[0]) / (box[1] - box[0])) * width, Y = (y) => ((box[3] - y) / (box[3] - box[2])) * height;
    const labels = answer ? answer.labels : null;
    if (answer && labels.length === state.points.length && prices.length === state.sites.length) {
      PartitopeEngine.cells(answer, prices, box).forEach((polygon, i) => {
        if (!polygon.length) return;
        pen.beginPath();
        polygon.forEach((p, at) => (at ? pen.lineTo(X(p[0]), Y(p[1])) : pen.moveTo(X(p[0]), Y(p[1]))));
        pen.closePath();
        pen.fillStyle = tint(HUES[i]);
        pen.fill();
        pen.strokeStyle = theme.quiet;
        pen.lineWidth = 1.1;
        pen.stroke();
      });
    }
    const r = state.points.length > 300 ? 3.1 : 4.2;
    const paths = HUES.map((_, i) => new Path2D(shape(i, r)));
    state.points.forEach((p, j) => {
      const i = labels && j < labels.length ? labels[j] : -1;
      pen.setTransform(ratio, 0, 0, ratio, X(p[0]) * ratio, Y(p[1]) * ratio);
      pen.fillStyle = i < 0 ? theme.faint : HUES[i];
      pen.fill(paths[Math.max(i, 0)]);
      pen.lineWidth = 0.7;
      pen.strokeStyle = theme.ink;
      pen.stroke(paths[Math.max(i, 0)]);
    });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const j of marked) {
      if (j >= state.points.length) continue;
      pen.beginPath();
      pen.arc(X(state.points[j][0]), Y(state.points[j][1]), r + 4.5, 0, 7);
      pen.lineWidth = 2;
      pen.strokeStyle = theme.ink;
      pen.stroke();
    }
    const origin = PartitopeEngine.mean(state.points);
    if (state.kind === "csa") {
      pen.strokeStyle = theme.quiet;
      pen.lineWidth = 1;
      pen.setLineDash([4, 4]);
      for (const place of sitePlaces(state, origin, box)) {
        pen.beginPath();
        pen.moveTo(X(origin[0]), Y(origin[1]));
        pen.lineTo(X(place[0]), Y(place[1]));
        pen.stroke();
      }
      pen.setLineDash([]);
    }
    sitePlaces(state, origin, box).forEach((there, i) => {
      const place = atEdge(there, box, (15 * (box[1] - box[0])) / width);
      if (place !== there) point(pen, [X(place[0]), Y(place[1])], [X(there[0]), Y(there[1])]);
      pen.beginPath();
      pen.arc(X(place[0]), Y(place[1]), 10.5, 0, 7);
      pen.fillStyle = theme.paper;
      pen.fill();
      pen.lineWidth = i === chosen ? 4 : 1.6;
      pen.strokeStyle = i === chosen ? theme.ink : theme.ink;
      pen.stroke();
      pen.fillStyle = theme.ink;
      pen.font = "600 12px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(String(i), X(place[0]), Y(place[1]) + 0.5);
    });
    if (cursor) {
      pen.beginPath();
      pen.moveTo(X(cursor[0]) - 12, Y(cursor[1]));
      pen.lineTo(X(cursor[0]) + 12, Y(cursor[1]));
      pen.moveTo(X(cursor[0]), Y(cursor[1]) - 12);
      pen.lineTo(X(cursor[0]), Y(cursor[1]) + 12);
      pen.lineWidth = 2;
      pen.strokeStyle = theme.ink;
      pen.stroke();
    }
    if (scene.cut !== null) {
      pen.beginPath();
      pen.moveTo(0, Y(scene.cut));
      pen.lineTo(width, Y(scene.cut));
      pen.lineWidth = 1.6;
      pen.setLineDash([8, 5]);
      pen.strokeStyle = theme.ink;
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  /* Size against bounds: the bar is [lower, upper], the mark the size. */
  function gauge(i, size, lower, upper, n) {
    const at = (v) => 4 + (292 * Math.min(v, n)) / n;
    return `<line x1="4" x2="296" y1="7" y2="7" stroke="var(--faint)" stroke-width="2"/>` +
      `<line x1="${at(lower)}" x2="${Math.max(at(upper), at(lower) + 2)}" y1="7" y2="7" stroke="${HUES[i]}" stroke-width="8"/>` +
      `<line x1="${at(lower)}" x2="${at(lower)}" y1="1" y2="13" stroke="var(--ink)" stroke-width="1.5"/>` +
      `<line x1="${at(upper)}" x2="${at(upper)}" y1="1" y2="13" stroke="var(--ink)" stroke-width="1.5"/>` +
      (size === null ? "" : `<rect x="${at(size) - 2.6}" y="1" width="5.2" height="12" fill="var(--paper)" stroke="var(--ink)" stroke-width="1.6"/>`);
  }

  function history(values) {
    if (values.length < 2) return "";
    const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
    const points = values.map((v, t) => `${3 + (90 * t) / (values.length - 1)},${19 - (16 * (v - low)) / span}`);
    return `<polyline points="${points.join(" ")}" fill="none" stroke="var(--mark)" stroke-width="1.6"/>` +
      points.map((p) => `<circle cx="${p.split(",")[0]}" cy="${p.split(",")[1]}" r="1.8" fill="var(--mark)"/>`).join("");
  }

  /* The scores along one horizontal cut: paraboloids |x - a_i|^2 + mu_i (least squares; the lowest wins) or
     planes a_i . x - mu_i (cluster sums; the highest wins). */
  function lifted(state, answer, prices, box, cut) {
    const [left, right] = box, k = state.sites.length, count = 161;
    const xs = Array.from({ length: count }, (_, t) => left + ((right - left) * t) / (count - 1));
    const value = (i, x, price) => {
      if (state.kind === "lsa") return (x - state.sites[i][0]) ** 2 + (cut - state.sites[i][1]) ** 2 + price;
      const a = PartitopeEngine.unit(state.sites[i]);
      return a[0] * (x - answer.origin[0]) + a[1] * (cut - answer.origin[1]) - price;
    };
    const best = (list) => (state.kind === "lsa" ? Math.min(...list) : Math.max(...list));
    const curves = prices.map((mu, i) => xs.map((x) => value(i, x, mu)));
    const envelope = xs.map((_, t) => best(curves.map((c) => c[t])));
    const low = Math.min(...envelope), high = Math.max(...envelope), span = high - low || 1;
    const bottom = state.kind === "lsa" ? low - 0.12 * span : low - 0.7 * span;
    const top = state.kind === "lsa" ? high + 0.7 * span : high + 0.12 * span;
    const X = (x) => 12 + (616 * (x - left)) / (right - left), Y = (v) => 250 - (240 * (v - bottom)) / (top - bottom);
    const line = (values) => values.map((v, t) => `${X(xs[t]).toFixed(1)},${Math.max(-400, Math.min(700, Y(v))).toFixed(1)}`).join(" ");
    const winner = xs.map((_, t) => curves.findIndex((c) => c[t] === envelope[t]));
    let drawn = `<defs><clipPath id="frame"><rect x="12" y="6" width="616" height="246"/></clipPath></defs><g clip-path="url(#frame)">`;
    for (let i = 0; i < k; i++) {
      const flat = xs.map((x) => value(i, x, 0));
      if (Math.abs(prices[i]) > 1e-9 * span) {
        drawn += `<polyline points="${line(flat)}" fill="none" stroke="${HUES[i]}" stroke-width="1" stroke-dasharray="3 4"/>`;
      }
      drawn += `<polyline points="${line(curves[i])}" fill="none" stroke="${HUES[i]}" stroke-width="1.8"/>`;
    }
    drawn += `<polyline points="${line(envelope)}" fill="none" stroke="var(--ink)" stroke-width="3.4"/></g>`;
    let start = 0;
    for (let t = 1; t <= count; t++) {
      if (t < count && winner[t] === winner[start]) continue;
      const a = X(xs[start]), b = X(xs[Math.min(t, count - 1)]), i = winner[start];
      drawn += `<rect x="${a}" y="256" width="${Math.max(b - a, 1)}" height="16" fill="${tint(HUES[i])}" stroke="var(--quiet)"/>` +
        (b - a > 14 ? `<text fill="var(--ink)" x="${(a + b) / 2}" y="268.5" font-size="12" font-weight="600" text-anchor="middle">${i}</text>` : "");
      start = t;
    }
    const near = 0.035 * (box[3] - box[2]);
    state.points.forEach((p, j) => {
      if (Math.abs(p[1] - cut) > near || !answer.labels || j >= answer.labels.length) return;
      drawn += `<path transform="translate(${X(p[0]).toFixed(1)} 284)" d="${shape(answer.labels[j], 3.6)}" fill="${HUES[answer.labels[j]]}" stroke="var(--ink)" stroke-width=".6"/>`;
    });
    return drawn;
  }

  /* Arcs whose reduced length w_il - mu_i + mu_l is zero: their points change sides without loss. */
  function zeroArcs(answer) {
    const k = answer.prices.length, mu = [...answer.prices, 0], arcs = [];
    let scale = 0;
    answer.lengths.forEach((row) => row.forEach((w) => { if (w !== null) scale = Math.max(scale, Math.abs(w)); }));
    for (let i = 0; i <= k; i++) {
      for (let l = 0; l <= k; l++) {
        const w = answer.lengths[i][l];
        if (i === l || w === null) continue;
        const reduced = w - mu[i] + mu[l];
        const point = i < k && l < k ? answer.arc_points[i][l] : -1;
        arcs.push({ from: i, to: l, length: w, reduced, zero: Math.abs(reduced) <= 1e-9 * scale, point });
      }
    }
    return arcs;
  }

  const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  /* The exchange graph with letters of `size`. Names of points stand beside their arcs where no other name or node
     is; where there is no room the arc goes without, and the text below the picture names it. */
  function graph(answer, size = 13) {
    const k = answer.prices.length, arcs = zeroArcs(answer), taken = [];
    const angle = (i) => -Math.PI / 2 + (2 * Math.PI * i) / k, reach = size > 15 ? 150 : 175;
    const place = (i) => (i === k ? [320, 210] : [320 + reach * Math.cos(angle(i)), 210 + (reach - 20) * Math.sin(angle(i))]);
    const words = (text, x, y, anchor = "middle") => {
      const w = 0.6 * size * text.length, left = anchor === "middle" ? x - w / 2 : anchor === "end" ? x - w : x;
      return [left, y - 0.95 * size, left + w, y + 0.3 * size];
    };
    const write = (text, x, y, anchor) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="var(--ink)" ` +
      `text-anchor="${anchor}" stroke="var(--paper)" stroke-width="4" paint-order="stroke">${text}</text>`;
    const curve = (arc) => {
      const [a, b] = [place(arc.from), place(arc.to)], dx = b[0] - a[0], dy = b[1] - a[1], d = Math.hypot(dx, dy) || 1;
      const bend = [(a[0] + b[0]) / 2 - (dy / d) * 24, (a[1] + b[1]) / 2 + (dx / d) * 24];
      const pull = (p, r) => {
        const e = Math.hypot(bend[0] - p[0], bend[1] - p[1]) || 1;
        return [p[0] + ((bend[0] - p[0]) * r) / e, p[1] + ((bend[1] - p[1]) * r) / e];
      };
      return { start: pull(a, 20), bend, end: pull(b, 24) };
    };
    let lines = "", names = "", nodes = "";
    for (let i = 0; i <= k; i++) {
      const [x, y] = place(i), half = i < k ? 20 : 28;
      taken.push([x - half, y - Math.min(half, 20), x + half, y + Math.min(half, 20)]);
      nodes += i < k
        ? `<circle cx="${x}" cy="${y}" r="18" fill="${tint(HUES[i])}" stroke="var(--ink)" stroke-width="1.5"/>` +
          `<text x="${x}" y="${y + 5}" font-size="15" font-weight="600" text-anchor="middle" fill="var(--ink)">${i}</text>`
        : `<rect x="${x - 26}" y="${y - 14}" width="52" height="28" rx="6" fill="var(--paper)" stroke="var(--ink)" stroke-width="1.5"/>` +
          `<text x="${x}" y="${y + 5}" font-size="13" text-anchor="middle" fill="var(--ink)">slack</text>`;
    }
    const free = (box) => box[0] >= 0 && box[2] <= 640 && box[1] >= 0 && box[3] <= 420 && !taken.some((other) => overlap(box, other));
    for (let i = 0; i < k; i++) {
      const [x, y] = place(i), out = [Math.cos(angle(i)), Math.sin(angle(i))], text = `price ${figure(answer.prices[i])}`;
      const anchor = Math.abs(out[0]) < 0.3 ? "middle" : out[0] > 0 ? "start" : "end";
      const ways = [24, 32, 44, 58, 74].flatMap((far) => [text, text.slice(6)].map((shown) => [shown, far]));
      const outwards = ([shown, far]) =>
        [shown, x + out[0] * far, y + out[1] * far + 0.4 * size + (anchor === "middle" ? Math.sign(out[1]) * 8 : 0), anchor];
      const beside = ([shown, far]) => [[shown, x, y + 20 + far - 24 + size, "middle"], [shown, x, y - 4 - far, "middle"]];
      const spots = [...ways.map(outwards), ...ways.flatMap(beside)]; // arcs lie inwards
      const spot = spots.find((s) => free(words(...s)));
      if (!spot) continue;
      taken.push(words(...spot));
      names += write(...spot);
    }
    for (const zero of [false, true]) {
      for (const arc of arcs.filter((a) => a.zero === zero)) {
        const { start, bend, end } = curve(arc), slack = arc.from === k || arc.to === k;
        lines += `<path d="M${start}Q${bend} ${end}" fill="none" stroke="${zero ? "var(--ink)" : "var(--faint)"}" ` +
          `stroke-width="${zero ? 2.6 : 1}" ${slack ? 'stroke-dasharray="5 4"' : ""} ${zero ? 'marker-end="url(#tip)"' : ""}/>`;
        if (!zero || arc.point < 0) continue;
        const at = (t, c) => (1 - t) ** 2 * start[c] + 2 * t * (1 - t) * bend[c] + t * t * end[c];
        const spots = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78].flatMap((t) => [0, -10, 10, -20, 20].flatMap((off) =>
          [`point ${arc.point}`, `${arc.point}`].map((text) => [text, at(t, 0), at(t, 1) + 0.35 * size + off, "middle"])));
        const spot = spots.find((s) => s[0].startsWith("p") && free(words(...s))) || spots.find((s) => free(words(...s)));
        if (!spot) continue;
        taken.push(words(...spot));
        names += write(...spot);
      }
    }
    return `<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
      `<path d="M0 0L8 4L0 8Z" fill="var(--ink)"/></marker></defs>${lines}${nodes}${names}`;
  }

  /* A number for people: four significant digits, a real minus sign, no -0. */
  function figure(value) {
    const text = Math.abs(value) < 1e-9 ? "0" : String(Number(value.toPrecision(4)));
    return text.replace("-", "−");
  }

  root.PartitopePictures = { HUES, theme, readTheme, tint, shape, stamp, sitePlaces, paint, gauge, history, lifted, graph, zeroArcs, figure };
})(window);
