"use strict";
/* What the article opens with: 150 people, three stations, and a limit that the reader lowers. */
(function (root) {
  const { answer: solve } = root.PartitopeEngine, { paint, figure } = root.PartitopePictures, { example, SEED } = root.PartitopePoints;
  const at = (id) => document.getElementById(id);

  root.PartitopeHook = function () {
    const points = example("groups", SEED), sites = [[2.2, 7], [7.5, 7.5], [6, 2.2]], n = points.length;
    const canvas = at("hook-canvas"), limit = at("hook-limit");

    function draw() {
      const most = Number(limit.value), state = { kind: "lsa", points, sites, lower: [0, 0, 0], upper: [most, most, most] };
      const answer = solve(state), aspect = canvas.clientWidth / canvas.clientHeight, height = 11.5, width = height * aspect;
      const box = [4.9 - width / 2, 4.9 + width / 2, 4.6 - height / 2, 4.6 + height / 2];
      paint(canvas, { state, answer, prices: answer.prices, box, chosen: -1, cursor: null, cut: null, marked: new Set() });
      at("hook-most").textContent = most === n ? "no limit" : `at most ${most}`;
      at("hook-said").textContent =
        `The stations take ${answer.sizes.join(", ")} people. Squared distances in all: ${figure(answer.primal)}. ` +
        `Prices of a place: ${answer.prices.map(figure).join(", ")}. ` +
        `With these prices nobody can do better than ${figure(answer.dual)}: a proof that you can check yourself.`;
    }
    limit.addEventListener("input", draw);
    root.addEventListener("resize", draw);
    draw();
    return { refresh: draw };
  };
})(window);
