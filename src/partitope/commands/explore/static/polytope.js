"use strict";
/* The cluster sums of all clusterings into two clusters, and their convex hull. Pure functions, no page.

   Points x_j have whole coordinates; about their mean they are y_j = n x_j - sum x, whole numbers again. A clustering is
   the set S of the points in cluster 0; it is drawn at (sum over S of y_j, |S|), in three dimensions. The hull of those
   with l_0 <= |S| <= u_0 (and n - u_1 <= |S| <= n - l_1) is the polytope of cluster sums, lifted by the size, so that a
   bound cuts it with a level plane. All arithmetic is on whole numbers below 2^53, hence exact. */
(function (root) {
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const isZero = (a) => a[0] === 0 && a[1] === 0 && a[2] === 0;
  const gcd = (a, b) => { a = Math.abs(a); b = Math.abs(b); while (b) [a, b] = [b, a % b]; return a; };

  function centred(points) {
    const n = points.length, sum = points.reduce((s, p) => [s[0] + p[0], s[1] + p[1]], [0, 0]);
    return points.map((p) => [n * p[0] - sum[0], n * p[1] - sum[1]]);
  }

  /* Every clustering whose sizes are allowed: { mask, at: [x, y, size] }; bit j of the mask says that j is in cluster 0. */
  function clusterings(points, lower, upper) {
    const y = centred(points), n = y.length, made = [];
    const least = Math.max(lower[0], n - upper[1]), most = Math.min(upper[0], n - lower[1]);
    const sums = new Array(1 << n);
    sums[0] = [0, 0, 0];
    for (let mask = 0; mask < 1 << n; mask++) {
      if (mask) {
        const last = 31 - Math.clz32(mask), rest = sums[mask ^ (1 << last)];
        sums[mask] = [rest[0] + y[last][0], rest[1] + y[last][1], rest[2] + 1];
      }
      if (sums[mask][2] >= least && sums[mask][2] <= most) made.push({ mask, at: sums[mask] });
    }
    return made;
  }

  /* The facets of the hull of whole points, each { corners, normal, level }: normal . x <= level, corners in order,
     counter-clockwise seen from outside. When all lie in one plane there is one facet, the hull in that plane. */
  function hull(points) {
    const unique = [...new Map(points.map((p) => [p.join(), p])).values()];
    const start = tetrahedron(unique);
    if (start.length < 4) return start.length === 3 ? [flat(unique, start)] : [];
    const faces = new Set();
    const add = (a, b, c) => { const normal = cross(minus(b, a), minus(c, a)); faces.add({ tri: [a, b, c], normal, level: dot(normal, a) }); };
    const [a, b, c, d] = start, turned = dot(cross(minus(b, a), minus(c, a)), minus(d, a)) > 0;
    for (const [p, q, r] of turned ? [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] : [[a, b, c], [b, a, d], [c, b, d], [a, c, d]]) add(p, q, r);
    for (const point of unique) {
      const seen = [...faces].filter((f) => dot(f.normal, point) > f.level);
      if (!seen.length) continue;
      const edges = new Map();
      for (const { tri } of seen) {
        tri.forEach((p, at) => {
          const q = tri[(at + 1) % 3], back = `${q}|${p}`;
          if (!edges.delete(back)) edges.set(`${p}|${q}`, [p, q]);
        });
      }
      seen.forEach((f) => faces.delete(f));
      for (const [p, q] of edges.values()) add(p, q, point);
    }
    const planes = new Map();
    for (const { tri, normal, level } of faces) {
      if (isZero(normal)) continue; // a sliver in the boundary of a facet
      const by = [...normal, level].reduce(gcd, 0), key = [...normal, level].map((v) => v / by).join();
      if (!planes.has(key)) planes.set(key, { normal: normal.map((v) => v / by), level: level / by, all: [] });
      planes.get(key).all.push(...tri);
    }
    return [...planes.values()].map(({ normal, level, all }) => ({ normal, level, corners: ring(all, normal) })).filter((f) => f.corners.length > 2);
  }

  function tetrahedron(points) {
    const [a] = points, b = points.find((p) => a && !isZero(minus(p, a)));
    const c = b && points.find((p) => !isZero(cross(minus(b, a), minus(p, a))));
    const normal = c && cross(minus(b, a), minus(c, a)), d = c && points.find((p) => dot(normal, minus(p, a)) !== 0);
    return [a, b, c, d].filter(Boolean);
  }

  function flat(points, [a, b, c]) {
    const normal = cross(minus(b, a), minus(c, a));
    return { normal, level: dot(normal, a), corners: ring(points, normal) };
  }

  /* The convex polygon of coplanar points, counter-clockwise about the normal, corners only. */
  function ring(points, normal) {
    const drop = [0, 1, 2].reduce((best, c) => (Math.abs(normal[c]) > Math.abs(normal[best]) ? c : best), 0);
    const [u, v] = [(drop + 1) % 3, (drop + 2) % 3], sign = normal[drop] > 0 ? 1 : -1;
    const order = [...new Map(points.map((p) => [p.join(), p])).values()].sort((p, q) => p[u] - q[u] || p[v] - q[v]);
    const left = (o, p, q) => sign * ((p[u] - o[u]) * (q[v] - o[v]) - (p[v] - o[v]) * (q[u] - o[u])) > 0;
    const chain = (list) => list.reduce((kept, p) => {
      while (kept.length > 1 && !left(kept[kept.length - 2], kept[kept.length - 1], p)) kept.pop();
      kept.push(p);
      return kept;
    }, []);
    if (sign < 0) order.reverse();
    return [...chain(order).slice(0, -1), ...chain(order.slice().reverse()).slice(0, -1)];
  }

  /* The polytope of a problem: clusterings, facets, corners (as clusterings), and the best corner in a direction. */
  function build(points, lower, upper) {
    const all = clusterings(points, lower, upper), levels = [];
    for (const { at } of all) (levels[at[2]] ||= []).push(at);
    const outer = levels.flatMap((level) => (level.length > 3 ? ring(level, [0, 0, 1]) : level));
    const facets = hull(outer); // what is inside its own level is inside the hull
    const names = new Set(facets.flatMap((f) => f.corners.map((p) => p.join())));
    const corners = all.filter((c) => names.delete(c.at.join()));
    return { all, facets, corners, best: (d) => best(corners.length ? corners : all, d) };
  }

  function best(list, [dx, dy]) {
    return list.reduce((top, c) => (dx * c.at[0] + dy * c.at[1] > dx * top.at[0] + dy * top.at[1] ? c : top), list[0]);
  }

  root.PartitopePolytope = { build, centred, clusterings, hull };
})(typeof globalThis === "object" ? globalThis : window);
