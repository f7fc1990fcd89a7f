"use strict";
/* The page: one state, one answer to it, and the hands that change the state. */
(function () {
  const { answer: solveHere, better, mean, unit } = PartitopeEngine;
  const { toLink, fromLink, usable, readPoints, example, spreadSites, short, MAX_POINTS } = PartitopeState;
  const { COLOURS, stamp, sitePlaces, paint, gauge, history, lifted, graph, zeroArcs, figure } = PartitopePictures;
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const at = (id) => document.getElementById(id);
  const canvas = at("canvas");

  let state = null, answer = null, trace = [], seed = 1;
  let box = [0, 10, 0, 10], chosen = 0, chosenPoint = -1, cursor = null, tool = "move", shown = { lifted: false, graph: false };

  /* ---- asking: here, or the library behind the page; only the newest question counts ---- */
  let question = 0, settled = Promise.resolve();

  async function solve(asked) {
    if (!settings.server) return solveHere(asked);
    const started = performance.now();
    const reply = await fetch("api/answer", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked),
    });
    const answered = await reply.json();
    if (!answered.error) answered.milliseconds_with_transfer = performance.now() - started;
    return answered;
  }

  let asking = false, stale = false;

  async function settle() {
    if (asking) { stale = true; return; }
    asking = true;
    do {
      stale = false;
      const mine = question, asked = structuredClone(state);
      let answered;
      try {
        answered = await solve(asked);
      } catch (problem) {
        answered = { error: `no answer from the library (${problem.message}): is the command still running?` };
      }
      if (mine !== question) { stale = true; continue; }
      accept(answered);
    } while (stale);
    asking = false;
  }

  function accept(answered) {
    at("error").textContent = answered.error || "";
    if (!answered.error) {
      answer = answered;
      if (!trace.length) trace = [answer.objective];
    }
    show(Boolean(answered.error));
    announce(answered);
  }

  function changed({ keepTrace = false } = {}) {
    question++;
    if (!keepTrace) trace = [];
    if (settings.server) settled = settle();
    else accept(solveHere(state));
    remember();
    return settled;
  }

  /* ---- the link of the state ---- */
  let saving = 0;
  function remember() {
    clearTimeout(saving);
    saving = setTimeout(() => window.history.replaceState(null, "", toLink(state)), 250);
  }

  /* ---- showing ---- */
  const prices = () => (at("walls").value === "margin" && answer.margin_prices ? answer.margin_prices : answer.prices);

  function current() {
    return answer && answer.labels.length === state.points.length && answer.prices.length === state.sites.length;
  }

  function show(refused = false) {
    const n = state.points.length, k = state.sites.length;
    if (at("clusters").children.length !== k) buildClusters();
    at("k").value = k;
    at("k").max = Math.max(1, Math.min(8, n));
    at("kout").textContent = `${k} clusters, ${n} points`;
    at("kind").value = state.kind;
    for (let i = 0; i < k; i++) showCluster(i, n, refused);
    if (current()) showSummary(refused);
    draw();
  }

  function draw() {
    const y = box[2] + Number(at("cut").value) * (box[3] - box[2]);
    const zero = shown.graph && current() ? zeroArcs(answer).filter((arc) => arc.zero && arc.point >= 0) : [];
    paint(canvas, {
      state, answer: current() ? answer : null, prices: current() ? prices() : [], box, chosen,
      cursor: tool === "move" ? null : cursor, cut: shown.lifted ? y : null, marked: new Set([...zero.map((arc) => arc.point), ...(chosenPoint >= 0 ? [chosenPoint] : [])]),
    });
    if (!current()) return;
    if (shown.lifted) {
      at("lifted-svg").innerHTML = lifted(state, answer, prices(), box, y);
      at("lifted-text").textContent = (state.kind === "lsa"
        ? "Along the dashed line, each site carries the paraboloid |x − a|² + price; the lowest one owns the place. "
        : "Along the dashed line, each site carries the plane a·x − price; the highest one owns the place. ") +
        "Dashed curves are the same at price zero: a price is the height by which a bound lifts or lowers a cell's surface. " +
        `Cut at y = ${figure(y)}. Marks below are the points near the line.`;
    }
    if (shown.graph) {
      at("graph-svg").innerHTML = graph(answer);
      const free = zero.map((arc) => `point ${arc.point} from ${arc.from} to ${arc.to}`);
      at("graph-text").textContent = `An arc i → l moves one point at a loss; a cycle of negative length would be an ` +
        `improvement, and there is none. Bold arcs lose nothing at these prices: ${free.length ? free.join(", ") : "no point can move for free"}. ` +
        `Dashed arcs join the slack node: a cluster that may grow or shrink.`;
    }
  }

  function buildClusters() {
    at("clusters").innerHTML = state.sites.map((_, i) => `
      <fieldset class="cluster" data-cluster="${i}">
        <legend><button type="button" class="pick" aria-label="Choose site ${i}">${stamp(i, 20)} ${i}</button></legend>
        <div class="numbers"><span class="size"></span><span class="price"></span></div>
        <svg class="gauge" viewBox="0 0 300 14" preserveAspectRatio="none" aria-hidden="true"></svg>
        <div class="bounds">${["lower", "upper"].map((name) => `
          <label><span>${name === "lower" ? "at least" : "at most"}</span>
            <input type="range" min="0" step="1" data-bound="${name}" aria-label="Cluster ${i} holds ${name === "lower" ? "at least" : "at most"}">
            <input type="number" min="0" step="1" data-bound="${name}" aria-label="Cluster ${i} holds ${name === "lower" ? "at least" : "at most"}, as a number">
          </label>`).join("")}
        </div>
      </fieldset>`).join("");
    chosen = Math.min(chosen, state.sites.length - 1);
  }

  function showCluster(i, n, refused) {
    const card = at("clusters").children[i], size = current() && !refused ? answer.sizes[i] : null;
    card.classList.toggle("chosen", i === chosen);
    card.querySelector(".pick").setAttribute("aria-pressed", i === chosen);
    for (const input of card.querySelectorAll("input")) {
      input.max = n;
      const value = String(Math.min(state[input.dataset.bound][i], n));
      if (input.value !== value) input.value = value;
    }
    card.querySelector(".gauge").innerHTML = gauge(i, size, state.lower[i], state.upper[i], n);
    const price = size === null ? 0 : answer.prices[i], text = card.querySelector(".price");
    card.querySelector(".size").textContent = size === null ? "no assignment" : `${size} points`;
    const tight = Math.abs(price) < 1e-9 ? "" : price > 0 ? " (held down)" : " (held up)";
    text.textContent = size === null ? "" : `price ${figure(price)}${tight}`;
    text.className = `price ${tight ? (price > 0 ? "price-up" : "price-down") : ""}`;
    card.dataset.price = size === null ? "" : price;
    card.dataset.size = size === null ? "" : size;
  }

  function showSummary(refused) {
    at("objective-name").textContent = state.kind === "lsa" ? "Sum of squares about the means" : "Sum of norms of cluster sums";
    at("objective").textContent = refused ? "–" : figure(answer.objective);
    at("primal").textContent = refused ? "–" : figure(answer.primal);
    at("dual").textContent = refused ? "–" : figure(answer.dual);
    at("proof").innerHTML = refused ? "–" : answer.proof === "step"
      ? `<span class="certified">step</span>: optimal for these sites, gap ${answer.gap.toExponential(0).replace("-", "−")}`
      : `<span class="uncertified">none</span>: not certified, gap ${answer.gap.toExponential(1)}`;
    at("history").innerHTML = history(trace);
    at("steps").textContent = trace.length ? `${trace.length - 1}` : "0";
    at("time").textContent = `${answer.milliseconds.toFixed(1)} ms` +
      (answer.milliseconds_with_transfer ? `, ${answer.milliseconds_with_transfer.toFixed(0)} ms with the way there` : "");
  }

  let speaking = 0;
  function announce(answered) {
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      at("live").textContent = answered.error
        ? `No assignment: ${answered.error}`
        : `Sizes ${answered.sizes.join(", ")}. Prices ${answered.prices.map(figure).join(", ")}. ` +
          `Objective ${figure(answered.objective)}. Proof: ` +
          (answered.proof === "step" ? "step, optimal for these sites." : "none.");
    }, 500);
  }

  /* ---- changing the state ---- */
  function frame() {
    const all = state.kind === "lsa" ? [...state.points, ...state.sites] : state.points;
    const xs = all.map((p) => p[0]), ys = all.map((p) => p[1]);
    let [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const aspect = canvas.clientWidth / Math.max(canvas.clientHeight, 1) || 4 / 3;
    let height = Math.max(top - bottom, (right - left) / aspect) * 1.12 || 2;
    const x = (left + right) / 2, y = (bottom + top) / 2;
    box = [x - (height * aspect) / 2, x + (height * aspect) / 2, y - height / 2, y + height / 2];
  }

  function placeSites() {
    const sites = spreadSites(state.points, state.sites.length, seed), origin = mean(state.points);
    state.sites = state.kind === "lsa" ? sites : sites.map((s) => unit([s[0] - origin[0], s[1] - origin[1]]));
  }

  function setPoints(points, k = state.sites.length) {
    const before = state.points.length, n = points.length;
    state.points = points;
    setClusters(Math.min(k, n), false);
    const scaled = (v) => Math.round((v * n) / Math.max(before, 1));
    state.lower = state.lower.map((v) => Math.min(Math.floor((v * n) / Math.max(before, 1)), Math.floor(n / state.sites.length)));
    state.upper = state.upper.map((v) => (v >= before ? n : Math.max(Math.min(scaled(v) + 1, n), Math.ceil(n / state.sites.length))));
    placeSites();
    frame();
    changed();
  }

  function setClusters(k, ask = true) {
    const n = state.points.length, before = state.sites.length;
    if (k < before) for (const name of ["sites", "lower", "upper"]) state[name] = state[name].slice(0, k);
    if (k > before) {
      const more = spreadSites(state.points, k, seed), origin = mean(state.points);
      for (let i = before; i < k; i++) {
        const place = more[i];
        state.sites.push(state.kind === "lsa" ? place : unit([place[0] - origin[0], place[1] - origin[1]]));
        state.lower.push(0);
        state.upper.push(n);
      }
    }
    chosen = Math.min(chosen, k - 1);
    while (state.lower.reduce((a, b) => a + b, 0) > n) state.lower = state.lower.map((v) => Math.max(v - 1, 0));
    if (state.upper.reduce((a, b) => a + b, 0) < n) state.upper = state.upper.map((v) => Math.max(v, Math.ceil(n / k)));
    if (ask) changed();
  }

  function setKind(kind) {
    if (kind === state.kind) return;
    const origin = mean(state.points);
    if (kind === "csa") state.sites = state.sites.map((s) => unit([s[0] - origin[0], s[1] - origin[1]]));
    else {
      const sums = state.sites.map(() => [0, 0, 0]);
      if (current()) answer.labels.forEach((i, j) => { sums[i][0] += state.points[j][0]; sums[i][1] += state.points[j][1]; sums[i][2]++; });
      state.sites = sums.map((s, i) => (s[2] ? [short(s[0] / s[2]), short(s[1] / s[2])] : [origin[0] + state.sites[i][0], origin[1] + state.sites[i][1]]));
    }
    state.kind = kind;
    frame();
    changed();
  }

  function setBound(name, i, value) {
    const n = state.points.length;
    if (!Number.isFinite(value)) return;
    state[name][i] = Math.max(0, Math.min(Math.round(value), n));
    if (state.lower[i] > state.upper[i]) state[name === "lower" ? "upper" : "lower"][i] = state[name][i];
    changed();
  }

  function moveSite(i, place) {
    const origin = mean(state.points);
    state.sites[i] = state.kind === "lsa" ? place.map(short) : unit([place[0] - origin[0], place[1] - origin[1]]);
    changed();
  }

  let stepping = 0; // steps and runs under way

  const counted = (work) => async () => {
    stepping++;
    try { return await work(); } finally { stepping--; }
  };

  const oneStep = counted(async () => {
    await settled;
    if (!current() || at("error").textContent) return false;
    const before = answer.objective, mine = question, asked = { ...structuredClone(state), sites: answer.next_sites };
    const following = await solve(asked);
    if (following.error || !better(state.kind, following.objective, before) || mine !== question) return false;
    state.sites = asked.sites.map((s) => s.slice());
    if (!trace.length) trace = [before];
    trace.push(following.objective);
    question++;
    accept(following);
    remember();
    return true;
  });

  const runToTheEnd = counted(async () => {
    let steps = 0;
    while (steps < 300 && (await oneStep())) {
      steps++;
      if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) await new Promise((next) => requestAnimationFrame(next));
    }
    at("live").textContent = `${steps} steps, objective ${figure(answer.objective)}: no further step improves it.`;
    return steps;
  });

  /* ---- pointer ---- */
  const toWorld = (event) => {
    const area = canvas.getBoundingClientRect();
    return [
      box[0] + ((event.clientX - area.left) / area.width) * (box[1] - box[0]),
      box[3] - ((event.clientY - area.top) / area.height) * (box[3] - box[2]),
    ];
  };
  const pixels = (length) => (length * (box[1] - box[0])) / canvas.clientWidth;

  function nearest(places, place, reach) {
    let best = -1, distance = pixels(reach);
    places.forEach((p, i) => {
      const d = Math.hypot(p[0] - place[0], p[1] - place[1]);
      if (d <= distance) { best = i; distance = d; }
    });
    return best;
  }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    const place = toWorld(event), reach = event.pointerType === "mouse" ? 12 : 22;
    event.preventDefault();
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    if (tool === "draw") { addPoint(place); held = { kind: "draw", last: place }; return; }
    if (tool === "erase") { erase(place, reach); held = { kind: "erase" }; return; }
    const site = nearest(sitePlaces(state, mean(state.points), box), place, reach + 4);
    chosenPoint = -1;
    if (site >= 0) { held = { kind: "site", index: site }; chosen = site; show(); return; }
    const point = nearest(state.points, place, reach);
    if (point >= 0) held = { kind: "point", index: point };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const place = toWorld(event);
    if (held.kind === "site") moveSite(held.index, place);
    else if (held.kind === "point") { state.points[held.index] = place.map(short); changed(); }
    else if (held.kind === "erase") erase(place, 10);
    else if (Math.hypot(place[0] - held.last[0], place[1] - held.last[1]) > pixels(12)) { addPoint(place); held.last = place; }
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });

  function addPoint(place) {
    if (state.points.length >= MAX_POINTS) return;
    const n = state.points.length;
    state.upper = state.upper.map((u) => (u >= n ? n + 1 : u)); // no bound stays no bound
    state.points.push(place.map(short));
    changed();
  }

  function erase(place, reach) {
    const point = nearest(state.points, place, reach);
    if (point < 0 || state.points.length <= state.sites.length) return;
    const n = state.points.length;
    state.upper = state.upper.map((u) => (u >= n ? n - 1 : u));
    state.points.splice(point, 1);
    changed();
  }

  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (/^[0-7]$/.test(event.key) && Number(event.key) < state.sites.length) {
      chosen = Number(event.key);
      chosenPoint = -1;
      show();
      return;
    }
    if (tool === "move" && (event.key === "n" || event.key === "p")) {
      const n = state.points.length;
      chosenPoint = chosenPoint < 0 ? 0 : (chosenPoint + (event.key === "n" ? 1 : n - 1)) % n;
      if (current()) at("live").textContent = `Point ${chosenPoint} in cluster ${answer.labels[chosenPoint]}.`;
      draw();
      return;
    }
    if (tool !== "move" && (event.key === "Enter" || event.key === " ")) {
      if (tool === "draw") addPoint(cursor);
      else erase(cursor, 15);
      event.preventDefault();
      return;
    }
    if (!steps) return;
    event.preventDefault();
    const far = pixels(event.shiftKey ? 50 : 10), by = [steps[0] * far, steps[1] * far];
    if (tool === "move" && chosenPoint >= 0 && chosenPoint < state.points.length) {
      const point = state.points[chosenPoint];
      state.points[chosenPoint] = [short(point[0] + by[0]), short(point[1] + by[1])];
      changed();
    } else if (tool === "move") {
      const place = sitePlaces(state, mean(state.points), box)[chosen];
      moveSite(chosen, [place[0] + by[0], place[1] + by[1]]);
    } else {
      cursor = [cursor[0] + by[0], cursor[1] + by[1]];
      draw();
    }
  });

  /* ---- the other controls ---- */
  at("clusters").addEventListener("input", (event) => {
    const input = event.target;
    if (input.dataset.bound && input.value !== "") setBound(input.dataset.bound, Number(input.closest(".cluster").dataset.cluster), Number(input.value));
  });
  at("clusters").addEventListener("click", (event) => {
    const pick = event.target.closest(".pick");
    if (pick) { chosen = Number(pick.closest(".cluster").dataset.cluster); show(); }
  });
  at("k").addEventListener("input", () => setClusters(Number(at("k").value)));
  at("kind").addEventListener("change", () => setKind(at("kind").value));
  at("walls").addEventListener("change", draw);
  at("cut").addEventListener("input", draw);
  at("example").addEventListener("change", () => {
    if (at("example").value) setPoints(example(at("example").value, 7));
    at("example").value = "";
  });
  at("file").addEventListener("change", async () => {
    const file = at("file").files[0];
    if (!file) return;
    try {
      setPoints(readPoints(await file.text()));
    } catch (problem) {
      at("error").textContent = `${file.name}: ${problem.message}`;
    }
    at("file").value = "";
  });
  for (const input of document.querySelectorAll("input[name=tool]")) {
    input.addEventListener("change", () => {
      tool = input.value;
      cursor = cursor || [(box[0] + box[1]) / 2, (box[2] + box[3]) / 2];
      draw();
    });
  }
  at("step").addEventListener("click", async () => {
    if (!(await oneStep())) at("live").textContent = "No step improves the objective.";
  });
  at("run").addEventListener("click", runToTheEnd);
  at("restart").addEventListener("click", () => { seed++; placeSites(); changed(); });
  at("share").addEventListener("click", async () => {
    window.history.replaceState(null, "", toLink(state));
    try {
      await navigator.clipboard.writeText(window.location.href);
      at("share").textContent = "Link copied";
    } catch {
      at("share").textContent = "Link is in the address bar";
    }
    setTimeout(() => { at("share").textContent = "Copy link"; }, 2000);
  });
  for (const [name, id] of [["lifted", "show-lifted"], ["graph", "show-graph"]]) {
    at(id).addEventListener("click", () => {
      shown[name] = !shown[name];
      at(id).setAttribute("aria-expanded", shown[name]);
      at(name).hidden = !shown[name];
      draw();
    });
  }
  window.addEventListener("hashchange", () => {
    const linked = fromLink(window.location.hash);
    if (linked) { state = linked; frame(); changed(); }
  });
  window.addEventListener("resize", () => { frame(); draw(); });

  function start() {
    at("source").textContent = settings.server
      ? "All numbers come from the library behind this page."
      : "All numbers are computed in this page by a port of the library's exact method, tested against it.";
    const linked = fromLink(window.location.hash);
    if (linked) state = linked;
    else if (settings.state && usable(settings.state)) state = settings.state;
    else {
      const points = example("groups", 7);
      state = { kind: "lsa", points, sites: spreadSites(points, 3, seed), lower: [45, 45, 45], upper: [55, 55, 55] };
    }
    frame();
    changed();
  }

  /* for tests and for curious people at the console */
  window.partitope = {
    get state() { return structuredClone(state); },
    get answer() { return answer; },
    get box() { return box.slice(); },
    get idle() { return !asking && !stepping; },
    set(next) { state = structuredClone(next); frame(); return changed(); },
    link: () => toLink(state),
    oneStep, runToTheEnd,
  };
  start();
})();
