"use strict";
/* The page: one state, one answer to it, and the hands that change the state. */
(function () {
  const { answer: solve, better, mean, unit } = PartitopeEngine;
  const { toLink, fromLink, MAX_POINTS, MAX_CLUSTERS } = PartitopeLinks;
  const { example, spreadSites, short, SEED } = PartitopePoints;
  const { stamp, paint, gauge, history, lifted, graph, zeroArcs, figure } = PartitopePictures;
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const at = (id) => document.getElementById(id);
  const canvas = at("canvas");

  let state = null, answer = null, trace = [], seed = 1, notice = "";
  let box = [0, 10, 0, 10], chosen = 0, chosenPoint = -1, last = null; // last: the newest picture of an assignment
  const shown = { lifted: false, graph: false };

  function accept(answered) {
    answer = answered;
    if (!answered.error && !trace.length) trace = [answer.objective];
    show();
    announce(answered);
  }

  function changed({ keepTrace = false } = {}) {
    notice = "";
    if (!keepTrace) trace = [];
    if (!hands.holding) { keepInFrame(); past.later(); }
    accept(solve(state, answer && answer.prices));
  }

  /* ---- links, undo and Back ---- */
  const view = () => ({ walls: at("walls").value, cut: Number(at("cut").value), lifted: shown.lifted, graph: shown.graph });

  function setView(wanted) {
    if (["prices", "margin"].includes(wanted.walls)) at("walls").value = wanted.walls;
    if (Number.isFinite(wanted.cut)) at("cut").value = wanted.cut;
    for (const name of ["lifted", "graph"]) unfold(name, wanted[name] === true);
  }

  function restore(kept) {
    state = structuredClone(kept.state);
    setView(kept.view);
    chosenPoint = -1;
    frame();
    changed();
  }

  function refuse(sentence) {
    notice = sentence;
    showError();
  }

  /* Shows the state of a link; one that cannot be used is told and changes nothing. */
  async function open(hash) {
    try {
      const linked = await fromLink(hash);
      if (linked) restore(linked);
      return linked !== null;
    } catch (problem) {
      refuse(problem.message);
      return false;
    }
  }

  const here = () => window.location.href.split("#")[0];
  const past = PartitopePast({
    capture: () => ({ state, view: view() }),
    restore: (kept) => { restore(kept); },
    address: () => toLink(state, view()),
    open,
    told: (back, forth) => { at("undo").disabled = !back; at("redo").disabled = !forth; },
  });

  /* ---- showing ---- */
  const prices = () => (at("walls").value === "margin" && answer.margin_prices ? answer.margin_prices : answer.prices);

  function current() {
    return answer && !answer.error && answer.labels.length === state.points.length && answer.prices.length === state.sites.length;
  }

  /* What is written already is not written again. */
  function write(element, html) {
    if (element.written !== html) element.innerHTML = element.written = html;
  }

  function showError() {
    at("error").textContent = [notice, answer && inWords(answer.error)].filter(Boolean).join(" ");
  }

  function show() {
    showError();
    const n = state.points.length, k = state.sites.length;
    if (at("clusters").children.length !== k) buildClusters();
    at("k").value = k;
    at("k").max = Math.max(1, Math.min(MAX_CLUSTERS, n));
    at("kout").textContent = `${k} clusters, ${n} points`;
    at("kind").value = state.kind;
    for (let i = 0; i < k; i++) showCluster(i, n);
    for (const input of at("all").querySelectorAll("input")) {
      const bounds = state[input.dataset.bound], value = input.dataset.bound === "lower" ? Math.min(...bounds) : Math.max(...bounds);
      input.max = n;
      if (document.activeElement !== input) input.value = Math.min(value, n);
    }
    showSummary(!answer || Boolean(answer.error));
    draw();
  }

  const cutHeight = () => box[2] + Number(at("cut").value) * (box[3] - box[2]);

  function draw() {
    const y = cutHeight();
    const zero = shown.graph && current() ? zeroArcs(answer).filter((arc) => arc.zero && arc.point >= 0) : [];
    const marked = new Set([...zero.map((arc) => arc.point), ...(chosenPoint >= 0 ? [chosenPoint] : [])]);
    if (current()) last = { state: structuredClone(state), answer, prices: prices(), marked };
    const failed = !current() && Boolean(answer && answer.error); // the last picture stays, pale, below the message
    canvas.classList.toggle("past", failed && last !== null);
    paint(canvas, {
      ...(failed && last ? last : { state, answer: current() ? answer : null, prices: current() ? prices() : [], marked }),
      box, chosen, cursor: hands.cursor, cut: shown.lifted ? y : null,
    });
    at("chosen").textContent = current() && chosenPoint >= 0 && chosenPoint < state.points.length ? offers(chosenPoint) : "";
    if (!current()) {
      if (answer && answer.error) for (const name of ["lifted", "graph"]) { at(`${name}-svg`).replaceChildren(); at(`${name}-text`).textContent = "There is no assignment to show."; }
      return;
    }
    if (shown.lifted) {
      at("lifted-svg").innerHTML = lifted(state, answer, prices(), box, y);
      at("lifted-text").textContent = (state.kind === "lsa"
        ? "Along the dashed line, which can be dragged, each site carries the paraboloid |x − a|² + price; the lowest one owns the place. "
        : "Along the dashed line, which can be dragged, each site carries the plane a·x − price; the highest one owns the place. ") +
        "Dashed curves are the same at price zero: a price is the height by which a bound lifts or lowers a cell's surface. " +
        `Cut at y = ${figure(y)}. Marks below are the points near the line.`;
    }
    if (shown.graph) {
      at("graph-svg").innerHTML = graph(answer, canvas.clientWidth < 500 ? 19 : 13);
      const free = zero.map((arc) => `point ${arc.point} from ${arc.from} to ${arc.to}`);
      at("graph-text").textContent = `An arc i → l moves one point at a loss; a cycle of negative length would be an ` +
        `improvement, and there is none. Bold arcs lose nothing at these prices: ${free.length ? free.join(", ") : "no point can move for free"}. ` +
        `Dashed arcs join the slack node: a cluster that may grow or shrink.`;
    }
  }

  /* What a point is worth in every cluster, less the price, and by how much the own one leads. */
  function offers(j) {
    const { gradients, offsets, origin, labels, prices: mu } = answer, [x, y] = state.points[j];
    const scores = gradients.map((g, i) => g[0] * (x - origin[0]) + g[1] * (y - origin[1]) + offsets[i]), own = labels[j];
    const others = scores.map((v, i) => (i === own ? -Infinity : v - mu[i])), lead = scores[own] - mu[own] - Math.max(...others);
    return `Point ${j} in cluster ${own}. Score − price: ` + scores.map((v, i) => `${i}: ${figure(v)} − ${figure(mu[i])} = ${figure(v - mu[i])}`).join("; ") +
      (scores.length > 1 ? `. Slack ${figure(lead)}: it stays as long as no other offer gains more.` : ".");
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

  function showCluster(i, n) {
    const card = at("clusters").children[i], size = current() ? answer.sizes[i] : null;
    card.classList.toggle("chosen", i === chosen);
    card.querySelector(".pick").setAttribute("aria-pressed", i === chosen);
    for (const input of card.querySelectorAll("input")) {
      input.max = n;
      const value = String(Math.min(state[input.dataset.bound][i], n));
      if (input.value !== value) input.value = value;
    }
    write(card.querySelector(".gauge"), gauge(i, size, state.lower[i], state.upper[i], n));
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
    write(at("proof"), refused ? "–" : answer.proof === "step"
      ? `<span class="certified">step</span>: no other assignment to these sites is better by more than ${percent(answer.gap)} %`
      : `<span class="uncertified">none</span>: another assignment may be better by ${percent(answer.gap)} %`);
    write(at("history"), history(trace));
    at("steps").textContent = trace.length ? `${trace.length - 1}` : "0";
    at("time").textContent = refused ? "–" : `${answer.milliseconds.toFixed(1)} ms`;
  }

  const percent = (gap) => (Math.abs(gap) < 1e-12 ? "0" : (100 * Math.abs(gap)).toPrecision(1));

  /* A refusal of the library without the names of its arguments. */
  function inWords(error) {
    return error && error
      .replace(/sum\(lower\)=(\d+) exceeds n_points=(\d+)/, "The lower bounds add up to $1, but there are only $2 points")
      .replace(/sum\(upper\)=(\d+) is less than n_points=(\d+)/, "The upper bounds add up to $1, too few for the $2 points")
      .replace(/lower\[(\d+)\]=(\d+) exceeds upper\[\d+\]=(\d+).*/, "The lower bound of cluster $1 is $2, its upper bound only $3: change one of them")
      .replace(/n_clusters=(\d+) exceeds n_samples=(\d+).*/, "There are $1 clusters, but only $2 points: add points or remove a cluster");
  }

  let speaking = 0;
  function announce(answered) {
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      at("live").textContent = answered.error
        ? `No assignment: ${inWords(answered.error)}`
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

  /* A site or point that has left the frame is followed; while it is held, its mark waits at the edge. */
  function keepInFrame() {
    const all = state.kind === "lsa" ? [...state.points, ...state.sites] : state.points;
    if (all.some((p) => p[0] < box[0] || p[0] > box[1] || p[1] < box[2] || p[1] > box[3])) frame();
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
    past.commit();
  }

  function setClusters(k, ask = true) {
    const n = state.points.length, before = state.sites.length;
    if (k < before) for (const name of ["sites", "lower", "upper"]) state[name] = state[name].slice(0, k);
    if (k > before) {
      const more = spreadSites(state.points, k, seed), origin = mean(state.points);
      for (let i = before; i < k; i++) {
        const place = more[i];
        state.sites.push(state.kind === "lsa" ? place : unit([place[0] - origin[0], place[1] - origin[1]]));
        state.lower.push(Math.floor((0.9 * n) / k)); // n/k give or take a tenth
        state.upper.push(Math.ceil((1.1 * n) / k));
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
    past.commit();
  }

  function limit(name, i, value) {
    state[name][i] = Math.max(0, Math.min(Math.round(value), state.points.length));
    if (state.lower[i] > state.upper[i]) state[name === "lower" ? "upper" : "lower"][i] = state[name][i];
  }

  function setBound(name, i, value) {
    if (!Number.isFinite(value)) return;
    limit(name, i, value);
    changed();
  }

  function addPoint(place) {
    const n = state.points.length;
    if (n >= MAX_POINTS) { refuse(`There are ${n} points, and no more are shown.`); return; }
    state.upper = state.upper.map((u) => (u >= n ? n + 1 : u)); // no bound stays no bound
    state.points.push(place.map(short));
    changed();
  }

  function removePoint(point) {
    const n = state.points.length;
    if (point < 0 || n <= state.sites.length) return;
    state.upper = state.upper.map((u) => (u >= n ? n - 1 : u));
    state.points.splice(point, 1);
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
    if (!current()) return false;
    const before = answer.objective, asked = { ...structuredClone(state), sites: answer.next_sites };
    const following = solve(asked);
    if (following.error || !better(state.kind, following.objective, before)) return false;
    state.sites = asked.sites.map((s) => s.slice());
    if (!trace.length) trace = [before];
    trace.push(following.objective);
    accept(following);
    past.later();
    return true;
  });

  const runToTheEnd = counted(async () => {
    let steps = 0;
    while (steps < 300 && (await oneStep())) {
      steps++;
      if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) await new Promise((next) => requestAnimationFrame(next));
    }
    at("live").textContent = `${steps} steps, objective ${figure(answer.objective)}: no further step improves it.`;
    past.commit();
    return steps;
  });

  const hands = PartitopeHands(canvas, {
    get state() { return state; },
    get box() { return box; },
    get chosen() { return chosen; },
    get chosenPoint() { return chosenPoint; },
    choose(i) { chosen = i; chosenPoint = -1; show(); },
    choosePoint(j) {
      chosenPoint = j;
      if (current()) at("live").textContent = `Point ${j} in cluster ${answer.labels[j]}.`;
      draw();
    },
    choosePlace() { chosenPoint = -1; draw(); },
    movePoint(j, place) { state.points[j] = place; changed(); },
    released() {
      keepInFrame();
      draw();
      past.commit();
    },
    get cut() { return shown.lifted ? cutHeight() : null; },
    moveCut(y) { at("cut").value = (y - box[2]) / (box[3] - box[2]); draw(); },
    moveSite, addPoint, removePoint, draw,
  });

  /* ---- the other controls ---- */
  at("all").addEventListener("input", (event) => {
    if (event.target.value === "") return;
    const value = Number(event.target.value), k = state.sites.length, n = state.points.length, lower = event.target.dataset.bound === "lower";
    // beyond n / k no clustering is left: the slider stops there, the number does not
    const kept = event.target.type === "number" ? value : lower ? Math.min(value, Math.floor(n / k)) : Math.max(value, Math.ceil(n / k));
    for (let i = 0; i < k; i++) limit(event.target.dataset.bound, i, kept);
    changed();
  });
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
  at("walls").addEventListener("change", () => { draw(); past.commit(); });
  at("cut").addEventListener("input", () => { draw(); past.later(); });
  at("example").addEventListener("change", () => {
    if (at("example").value) setPoints(example(at("example").value, SEED));
    at("example").value = "";
    at("loaded").textContent = "";
  });
  PartitopeFiles({ accept: (points) => setPoints(points), refuse });
  PartitopeScenarios({ make: () => toLink(state, view()), open: async (link) => { if (await open(link)) past.commit(); } });
  for (const part of ["clusters", "all"]) for (const type of ["change", "pointerup"]) at(part).addEventListener(type, () => past.flush());
  at("step").addEventListener("click", async () => {
    if (!(await oneStep())) at("live").textContent = "No step improves the objective.";
  });
  at("run").addEventListener("click", runToTheEnd);
  at("restart").addEventListener("click", () => { seed++; placeSites(); changed(); past.commit(); });
  at("undo").addEventListener("click", past.undo);
  at("redo").addEventListener("click", past.redo);
  window.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase(), writing = event.target.matches("input[type=text], input[type=number]");
    if (!(event.ctrlKey || event.metaKey) || event.altKey || writing || !["z", "y"].includes(key)) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) past.redo();
    else past.undo();
  });
  at("share").addEventListener("click", async () => {
    const link = (settings.address || here()) + (await toLink(state, view()));
    let said = "Link copied";
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      said = "Link is in the address bar";
      past.commit();
    }
    const alone = !settings.address && link.startsWith("file:");
    at("share").textContent = said;
    at("live").textContent = alone ? `${said}. It opens on this machine only: start the page with --address to share it.` : `${said}.`;
    if (alone) refuse("The link opens on this machine only: start the page with --address and its public address to share it.");
    setTimeout(() => { at("share").textContent = "Copy link"; }, 2000);
  });

  function unfold(name, open) {
    shown[name] = open;
    at(`show-${name}`).setAttribute("aria-expanded", open);
    at(name).hidden = !open;
  }
  for (const name of ["lifted", "graph"]) {
    at(`show-${name}`).addEventListener("click", () => { unfold(name, !shown[name]); draw(); past.commit(); });
  }
  window.addEventListener("resize", () => { frame(); draw(); });

  async function start() {
    at("more").open = window.matchMedia("(min-width: 801px)").matches; // on a phone the picture comes first
    if (settings.article) {
      for (const id of ["article", "bounds"]) Object.assign(at(id), { href: settings.article, hidden: false });
      at("bounds").addEventListener("click", async (event) => {
        event.preventDefault();
        window.location.assign(settings.article + (await toLink(state, {})));
      });
    }
    const points = example("groups", SEED);
    const own = settings.state || { kind: "lsa", points, sites: spreadSites(points, 3, seed), lower: [45, 45, 45], upper: [55, 55, 55] };
    PartitopeTheme(() => { PartitopePictures.readTheme(); if (state) draw(); });
    let linked = null, problem = "";
    try {
      linked = await fromLink(window.location.hash);
    } catch (error) {
      problem = `${error.message} Shown is the page's own example.`;
    }
    restore(linked || { state: own, view: {} });
    past.commit();
    if (problem) refuse(problem);
  }

  /* for tests and for curious people at the console */
  window.partitope = {
    get state() { return structuredClone(state); },
    get answer() { hands.follow(); return answer; },
    get box() { return box.slice(); },
    get idle() { return !stepping; },
    set(next) { restore({ state: next, view: view() }); past.commit(); },
    link: () => toLink(state, view()),
    oneStep, runToTheEnd,
  };
  start();
})();
