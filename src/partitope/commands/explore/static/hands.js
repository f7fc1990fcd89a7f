"use strict";
/* What pointer and keys do in the picture. `page` gives the state and takes the changes, of the pointer one a frame. */
(function (root) {
  const { mean } = root.PartitopeEngine, { sitePlaces } = root.PartitopePictures, { short } = root.PartitopePoints;

  root.PartitopeHands = function (canvas, page) {
    let held = null, tool = "move", cursor = null, pointed = null, waiting = 0;

    const toWorld = (event) => {
      const area = canvas.getBoundingClientRect(), box = page.box;
      return [
        box[0] + ((event.clientX - area.left) / area.width) * (box[1] - box[0]),
        box[3] - ((event.clientY - area.top) / area.height) * (box[3] - box[2]),
      ];
    };
    const pixels = (length) => (length * (page.box[1] - page.box[0])) / canvas.clientWidth;
    const places = () => sitePlaces(page.state, mean(page.state.points), page.box);

    function nearest(list, place, reach) {
      let best = -1, distance = pixels(reach);
      list.forEach((p, i) => {
        const d = Math.hypot(p[0] - place[0], p[1] - place[1]);
        if (d <= distance) { best = i; distance = d; }
      });
      return best;
    }

    const erase = (place, reach) => page.removePoint(nearest(page.state.points, place, reach));

    /* What a pointer at a place takes hold of; null where there is nothing, and a finger scrolls the page. */
    function under(place, reach) {
      if (tool !== "move") return { kind: tool };
      const site = nearest(places(), place, reach + 4);
      if (site >= 0) return { kind: "site", index: site };
      const point = nearest(page.state.points, place, reach);
      if (point >= 0) return { kind: "point", index: point };
      return page.cut !== null && Math.abs(place[1] - page.cut) < pixels(reach / 2) ? { kind: "cut" } : null;
    }

    canvas.addEventListener("touchstart", (event) => {
      if (event.touches.length === 1 && under(toWorld(event.touches[0]), 22)) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      const place = toWorld(event), reach = event.pointerType === "mouse" ? 12 : 22;
      event.preventDefault();
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      held = under(place, reach);
      if (held === null) page.choosePlace(place);
      else if (held.kind === "draw") { held.last = place; page.addPoint(place); }
      else if (held.kind === "erase") erase(place, reach);
      else if (held.kind === "site") page.choose(held.index);
      else if (held.kind === "point") page.choosePoint(held.index);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      pointed = toWorld(event);
      waiting ||= requestAnimationFrame(follow);
    });

    /* Brings what is held to where the pointer was last. */
    function follow() {
      if (!waiting) return;
      cancelAnimationFrame(waiting);
      waiting = 0;
      if (held.kind === "site") page.moveSite(held.index, pointed);
      else if (held.kind === "point") page.movePoint(held.index, pointed.map(short));
      else if (held.kind === "cut") page.moveCut(pointed[1]);
      else if (held.kind === "erase") erase(pointed, 10);
      else if (Math.hypot(pointed[0] - held.last[0], pointed[1] - held.last[1]) > pixels(12)) { page.addPoint(pointed); held.last = pointed; }
    }

    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => {
        if (!held) return;
        follow();
        held = null;
        page.released();
      });
    }

    function act() {
      if (tool === "draw") page.addPoint(cursor);
      else erase(cursor, 15);
    }

    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      const { state, chosen, chosenPoint } = page, k = state.sites.length, n = state.points.length;
      if (/^[0-9]$/.test(event.key) && Number(event.key) < k) page.choose(Number(event.key));
      else if (event.key === "s" || event.key === "S") page.choose((chosen + (event.key === "s" ? 1 : k - 1)) % k);
      else if (tool === "move" && (event.key === "n" || event.key === "p")) {
        page.choosePoint(chosenPoint < 0 ? 0 : (chosenPoint + (event.key === "n" ? 1 : n - 1)) % n);
      } else if (tool !== "move" && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        act();
      }
      if (!steps) return;
      event.preventDefault();
      const far = pixels(event.shiftKey ? 50 : 10), by = [steps[0] * far, steps[1] * far];
      if (tool === "move" && chosenPoint >= 0 && chosenPoint < n) {
        const point = state.points[chosenPoint];
        page.movePoint(chosenPoint, [short(point[0] + by[0]), short(point[1] + by[1])]);
      } else if (tool === "move") {
        const place = places()[chosen];
        page.moveSite(chosen, [place[0] + by[0], place[1] + by[1]]);
      } else {
        cursor = [cursor[0] + by[0], cursor[1] + by[1]];
        page.draw();
      }
    });

    for (const input of document.querySelectorAll("input[name=tool]")) {
      input.addEventListener("change", () => {
        tool = input.value;
        cursor = cursor || [(page.box[0] + page.box[1]) / 2, (page.box[2] + page.box[3]) / 2];
        page.draw();
      });
    }

    return {
      follow,
      get holding() { return held !== null; },
      get cursor() { return tool === "move" ? null : cursor; },
    };
  };
})(window);
