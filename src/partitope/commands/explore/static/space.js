"use strict";
/* A small renderer of three dimensions on a canvas: parallel projection, painter's order, turned by pointer and keys.

   Everything lives in the cube [-1, 1]^3, the third coordinate up. `paint(pen, space)` draws; `space.project(p)` gives
   [x, y, depth] in pixels, larger depth is nearer. Painter's order is exact for the faces of a convex body and for the
   squares of a surface over a grid, the two things that are drawn. */
(function (root) {
  root.PartitopeSpace = function (canvas, paint, { yaw = 0.6, pitch = 0.5 } = {}) {
    const first = { yaw, pitch }, space = { yaw, pitch, zoom: 1, width: 0, height: 0, project, faces, draw, reset };
    let held = null, waiting = 0;

    function project([x, y, z]) {
      const { width, height, zoom } = space, scale = zoom * 0.31 * Math.min(width, height * 1.15);
      const c = Math.cos(space.yaw), s = Math.sin(space.yaw), right = c * x - s * y, away = s * x + c * y;
      const up = Math.cos(space.pitch) * z + Math.sin(space.pitch) * away;
      return [width / 2 + scale * right, height / 2 - scale * up, Math.sin(space.pitch) * z - Math.cos(space.pitch) * away];
    }

    function outline(pen, points) {
      pen.beginPath();
      points.forEach((p, at) => (at ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
    }

    /* Faces { points, fill, stroke, width }, far ones first. */
    function faces(pen, list) {
      const seen = list.map((face) => {
        const flat = face.points.map(project);
        return { face, flat, depth: flat.reduce((sum, p) => sum + p[2], 0) / flat.length };
      }).sort((a, b) => a.depth - b.depth);
      for (const { face, flat } of seen) {
        outline(pen, flat);
        pen.closePath();
        if (face.fill) { pen.fillStyle = face.fill; pen.fill(); }
        if (face.stroke) { pen.strokeStyle = face.stroke; pen.lineWidth = face.width || 1; pen.stroke(); }
      }
    }

    function draw() {
      waiting = 0;
      const ratio = root.devicePixelRatio || 1;
      space.width = canvas.clientWidth;
      space.height = canvas.clientHeight;
      const [w, h] = [Math.round(space.width * ratio), Math.round(space.height * ratio)];
      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
      const pen = canvas.getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, space.width, space.height);
      pen.lineJoin = "round";
      paint(pen, space);
    }

    function reset() { Object.assign(space, first, { zoom: 1 }); }

    function turn(across, up) {
      space.yaw += across;
      space.pitch = Math.max(-1.5, Math.min(1.5, space.pitch + up));
      waiting ||= requestAnimationFrame(draw); // once a frame, however many moves are reported
    }

    canvas.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      held = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      turn((event.clientX - held[0]) / 120, (event.clientY - held[1]) / 120);
      held = [event.clientX, event.clientY];
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] }[event.key];
      const zoom = { "+": 1.15, "-": 1 / 1.15 }[event.key];
      if (!by && !zoom) return;
      event.preventDefault();
      if (zoom) space.zoom = Math.max(0.4, Math.min(4, space.zoom * zoom));
      turn(...(by || [0, 0]));
    });
    return space;
  };
})(window);
