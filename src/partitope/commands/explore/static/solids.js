"use strict";
/* The two bodies of three dimensions: the polytope of cluster sums, and the surface of lifted paraboloids. */
(function (root) {
  const { HUES, theme, tint } = root.PartitopePictures;

  /* The polytope with its clusterings, its best corner, a walk and the shadow on the floor. */
  function drawPolytope(pen, space, polytope, n, { current = null, walk = [], direction = null, all = true, shadow = true }) {
    const reach = Math.max(1, ...polytope.all.map(({ at }) => Math.hypot(at[0], at[1])));
    const place = ([x, y, size]) => [x / reach, y / reach, (1.7 * (size - n / 2)) / n];
    const ahead = (f) => space.project(f.normal.map((v, c) => v * [1 / reach, 1 / reach, 1.7 / n][c] ** -1))[2] - space.project([0, 0, 0])[2] > 0;
    const dot = (p, r, fill) => {
      const [x, y] = space.project(p);
      pen.beginPath();
      pen.arc(x, y, r, 0, 7);
      pen.fillStyle = fill;
      pen.fill();
    };
    if (shadow) {
      space.faces(pen, [{ points: outline(polytope.corners.map((c) => c.at)).map(([x, y]) => [x / reach, y / reach, -1.05]), fill: theme.soft, stroke: theme.faint }]);
      for (const { at } of polytope.all) if (all) dot([at[0] / reach, at[1] / reach, -1.05], 0.9, theme.faint);
    }
    const flat = polytope.facets.length < 2;
    const face = (f, fill, stroke) => ({ points: f.corners.map(place), fill, stroke });
    space.faces(pen, polytope.facets.filter((f) => flat || !ahead(f)).map((f) => face(f, null, theme.faint)));
    if (all) for (const { at } of polytope.all) dot(place(at), 1.4, theme.quiet);
    const level = (f) => f.normal[0] === 0 && f.normal[1] === 0; // cut by a bound
    space.faces(pen, polytope.facets.filter((f) => flat || ahead(f)).map((f) => face(f, level(f) ? `${HUES[1]}66` : `${HUES[0]}2e`, theme.quiet)));
    for (const { at } of polytope.corners) dot(place(at), 2.4, theme.ink);
    pen.strokeStyle = HUES[4];
    pen.lineWidth = 3;
    pen.beginPath();
    walk.map((at) => space.project(place(at))).forEach((p, t) => (t ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
    pen.stroke();
    walk.forEach((at) => dot(place(at), 4.5, HUES[4]));
    if (!current) return;
    if (direction) {
      const size = Math.hypot(...direction) || 1, [x, y, z] = place(current), from = space.project([x, y, z]);
      const to = space.project([x + (0.5 * direction[0]) / size, y + (0.5 * direction[1]) / size, z]);
      pen.beginPath();
      pen.moveTo(from[0], from[1]);
      pen.lineTo(to[0], to[1]);
      pen.lineWidth = 2.5;
      pen.strokeStyle = theme.ink;
      pen.stroke();
      const turn = Math.atan2(to[1] - from[1], to[0] - from[0]);
      pen.save();
      pen.translate(to[0], to[1]);
      pen.rotate(turn);
      pen.fillStyle = theme.ink;
      pen.fill(new Path2D("M-4 -5L7 0L-4 5Z"));
      pen.restore();
    }
    dot(place(current), 9, theme.ink);
    dot(place(current), 6.5, HUES[1]);
  }

  /* The convex polygon about points of the plane. */
  function outline(points) {
    const order = points.map((p) => [p[0], p[1]]).sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const half = (list) => list.reduce((kept, p) => {
      const turn = ([ax, ay], [bx, by]) => (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax);
      while (kept.length > 1 && turn(kept[kept.length - 2], kept[kept.length - 1]) <= 0) kept.pop();
      kept.push(p);
      return kept;
    }, []);
    return [...half(order).slice(0, -1), ...half(order.reverse()).slice(0, -1)];
  }

  /* The lower envelope of the paraboloids |x - a_i|^2 + mu_i, cut along the line of height y; points lie on the floor. */
  function drawLifted(pen, space, { points, sites }, prices, labels, y, chosen = -1) {
    const all = [...points, ...sites], count = 30;
    const [left, right, bottom, top] = [[0, Math.min], [0, Math.max], [1, Math.min], [1, Math.max]].map(([c, f]) => f(...all.map((p) => p[c])));
    const value = (i, x, y) => (x - sites[i][0]) ** 2 + (y - sites[i][1]) ** 2 + prices[i];
    const owner = (x, y) => sites.reduce((best, _, i) => (value(i, x, y) < value(best, x, y) ? i : best), 0);
    const grid = Array.from({ length: count + 1 }, (_, a) => Array.from({ length: count + 1 }, (_, b) => {
      const x = left + ((right - left) * a) / count, y = bottom + ((top - bottom) * b) / count, i = owner(x, y);
      return { x, y, i, z: value(i, x, y) };
    }));
    const heights = grid.flat().map((g) => g.z), low = Math.min(...heights, ...prices), high = Math.max(...heights);
    const place = (x, y, z) => [(2 * (x - left)) / (right - left) - 1, (2 * (y - bottom)) / (top - bottom) - 1, (1.5 * (z - low)) / (high - low || 1) - 0.6];
    const floor = (x, y) => [...place(x, y, low).slice(0, 2), -1];
    points.forEach((p, j) => {
      const [x, y] = space.project(floor(...p));
      pen.beginPath();
      pen.arc(x, y, j === chosen ? 5 : 2.6, 0, 7);
      pen.fillStyle = HUES[labels[j]];
      pen.fill();
    });
    const squares = [];
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) {
        const corners = [grid[a][b], grid[a + 1][b], grid[a + 1][b + 1], grid[a][b + 1]];
        const i = owner((corners[0].x + corners[2].x) / 2, (corners[0].y + corners[2].y) / 2);
        squares.push({ points: corners.map((c) => place(c.x, c.y, c.z)), fill: tint(HUES[i]), stroke: `${HUES[i]}66`, width: 0.5 });
      }
    }
    space.faces(pen, squares);
    const line = (list, colour, width) => {
      pen.beginPath();
      list.map((p) => space.project(p)).forEach((p, t) => (t ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.stroke();
    };
    const across = Array.from({ length: 81 }, (_, t) => left + ((right - left) * t) / 80);
    line(across.map((x) => place(x, y, value(owner(x, y), x, y))), theme.ink, 3);
    line([floor(left, y), floor(right, y)], theme.quiet, 1.5);
    sites.forEach((a, i) => line([place(a[0], a[1], low), place(a[0], a[1], low + Math.max(prices[i] - low, 0))], HUES[i], 4));
    if (chosen >= 0) {
      const p = points[chosen];
      line([floor(...p), place(p[0], p[1], value(owner(...p), ...p))], theme.ink, 2);
    }
  }

  root.PartitopeSolids = { drawPolytope, drawLifted, outline };
})(window);
