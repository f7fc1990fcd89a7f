"use strict";
/* The frame of the article: a scene is a sentence, a formula whose terms light up with the picture, a question, and an
   answer that shows when the reader has moved something and found it. What a scene says stands in scenes.js. */
(function (root) {
  const { answer: solve, mean, cells } = root.PartitopeEngine;
  const { paint, figure, theme, readTheme } = root.PartitopePictures;

  function make(tag, properties = {}, ...children) {
    const made = document.createElement(tag), { dataset, ...rest } = properties;
    Object.assign(made.dataset, dataset);
    for (const [name, value] of Object.entries(rest)) {
      if (name in made && name !== "list") made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  /* Controls; each calls `act` and then tells the scene that the reader has moved something. */
  function controls(scene, place) {
    const refreshers = [];
    const button = (text, act, properties = {}) => {
      const made = make("button", { type: "button", textContent: text, ...properties });
      made.addEventListener("click", () => { act(); scene.moved(); });
      place.append(made);
      return made;
    };
    const slider = (label, { min, max, step = 1, get, set }) => {
      const shown = make("output"), input = make("input", { type: "range", step: String(step) });
      input.addEventListener("input", () => { set(Number(input.value)); scene.moved(); });
      place.append(make("label", { className: "slider" }, make("span", { textContent: label }), input, shown));
      refreshers.push(() => {
        const range = [min, max].map((v) => (typeof v === "function" ? v() : v));
        [input.min, input.max] = range.map(String);
        input.value = String(get());
        shown.textContent = figure(get());
      });
      return input;
    };
    return { button, slider, refresh: () => refreshers.forEach((refresh) => refresh()) };
  }

  /* A picture of points, sites and cells. `view()` gives { state, answer, prices, marked, lit }; sites and points are
     moved as in the laboratory, `choose(j)` hears which point was chosen. */
  function plane(scene, place, view, { choose = () => {}, choosePlace = () => {}, moveCut = () => {}, label = "Points, sites and cells", movable = true } = {}) {
    const canvas = make("canvas", { tabIndex: 0, role: "application", "aria-label": `${label}; keys: s next site, n next point, arrows move` });
    place.append(canvas);
    let box = null, chosen = 0, chosenPoint = -1;
    const inside = (p) => p.map((v, c) => Number(Math.max(box[2 * c], Math.min(v, box[2 * c + 1])).toPrecision(6)));
    const page = {
      get state() { return view().state; },
      get box() { return box; },
      get chosen() { return chosen; },
      get chosenPoint() { return chosenPoint; },
      get cut() { return view().cut ?? null; },
      moveCut(y) { moveCut(y); scene.moved(); },
      choose(i) { chosen = i; chosenPoint = -1; draw(); },
      choosePoint(j) { chosenPoint = j; choose(j); draw(); },
      choosePlace(at) { chosenPoint = -1; choosePlace(at); draw(); },
      moveSite(i, at) {
        if (!movable) return;
        const { state } = view(), origin = mean(state.points);
        state.sites[i] = state.kind === "lsa" ? inside(at) : root.PartitopeEngine.unit([at[0] - origin[0], at[1] - origin[1]]);
        scene.moved();
      },
      movePoint(j, at) { if (movable) { view().state.points[j] = inside(at); scene.moved(); } },
      released() {}, addPoint() {}, removePoint() {}, draw,
    };
    root.PartitopeHands(canvas, page);

    function fit() {
      const { points, sites, kind } = view().state, all = kind === "lsa" ? [...points, ...sites] : points;
      const xs = all.map((p) => p[0]), ys = all.map((p) => p[1]), aspect = canvas.clientWidth / Math.max(canvas.clientHeight, 1) || 1;
      const [x, y] = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
      const height = 1.25 * Math.max(Math.max(...ys) - Math.min(...ys), (Math.max(...xs) - Math.min(...xs)) / aspect);
      box = [x - (height * aspect) / 2, x + (height * aspect) / 2, y - height / 2, y + height / 2];
    }

    function draw() {
      if (!canvas.clientWidth) return;
      if (!box) fit();
      const { state, answer, prices, marked = [], lit = null, cut = null } = view();
      paint(canvas, { state, answer, prices, box, chosen, cursor: null, cut, marked: new Set([...marked, ...(chosenPoint >= 0 ? [chosenPoint] : [])]) });
      if (lit) highlight(canvas, box, state, answer, prices, lit);
    }
    return { canvas, draw, fit: () => { box = null; chosenPoint = -1; draw(); }, place: (p) => toPixels(canvas, box, p) };
  }

  const toPixels = (canvas, box, p) =>
    [((p[0] - box[0]) / (box[1] - box[0])) * canvas.clientWidth, ((box[3] - p[1]) / (box[3] - box[2])) * canvas.clientHeight];

  /* Lights the part of the picture that a term of the formula means. */
  function highlight(canvas, box, state, answer, prices, lit) {
    const pen = canvas.getContext("2d"), at = (p) => toPixels(canvas, box, p);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2.5;
    const rings = (list, r) => list.forEach((p) => { const [x, y] = at(p); pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.stroke(); });
    if (lit === "points") rings(state.points, 8);
    if (lit === "sites") rings(state.sites, 15);
    if (lit === "score" && answer) {
      pen.lineWidth = 1.2;
      state.points.forEach((p, j) => {
        pen.beginPath();
        pen.moveTo(...at(p));
        pen.lineTo(...at(state.sites[answer.labels[j]]));
        pen.stroke();
      });
    }
    if (lit === "walls" && answer) {
      pen.lineWidth = 4;
      for (const polygon of cells(answer, prices, box)) {
        if (!polygon.length) continue;
        pen.beginPath();
        polygon.map(at).forEach((p, n) => (n ? pen.lineTo(...p) : pen.moveTo(...p)));
        pen.closePath();
        pen.stroke();
      }
    }
  }

  /* Values on one line: [{ name, value, mark }] between low and high. */
  function numberLine(place, label) {
    const svg = place.appendChild(make("div", { className: "line", role: "img" }));
    return (marks, [low, high]) => {
      const X = (v) => 20 + (560 * (Math.max(low, Math.min(v, high)) - low)) / (high - low || 1);
      svg.setAttribute("aria-label", `${label}: ${marks.map((m) => `${m.name} ${figure(m.value)}`).join(", ")}`);
      svg.innerHTML = `<svg viewBox="0 0 600 74" aria-hidden="true"><line x1="20" x2="580" y1="38" y2="38" stroke="var(--line)" stroke-width="2"/>` +
        (marks.length > 1 ? `<line x1="${X(marks[0].value)}" x2="${X(marks[1].value)}" y1="38" y2="38" stroke="var(--mark)" stroke-width="7"/>` : "") +
        marks.map((m, at) => {
          const x = X(m.value), up = at % 2 === 0;
          return `<line x1="${x}" x2="${x}" y1="27" y2="49" stroke="var(--ink)" stroke-width="3"/><text x="${Math.max(90, Math.min(x, 510))}" y="${up ? 18 : 68}" font-size="16" ` +
            `text-anchor="middle" fill="var(--ink)">${m.name} ${figure(m.value)}</text>`;
        }).join("") + "</svg>";
    };
  }

  /* One scene. The definition gives title, sentence, formula, question, answer(), solved(), start(), show() and build(). */
  function scene(number, definition, home) {
    const self = { touched: false, revealed: false, lit: null, data: definition.start() };
    const id = `scene-${number}`;
    const pictures = make("div", { className: "pictures" }), panel = make("div", { className: "panel" });
    const formula = make("p", { className: "formula", role: "group", "aria-label": "Formula; every term lights its part of the picture" });
    const reply = make("p", { className: "answer", role: "status" }), live = make("p", { className: "said" });
    const show = make("button", { type: "button", textContent: "Show me", disabled: true });
    const reset = make("button", { type: "button", textContent: "Reset", className: "reset" });
    const act = make("div", { className: "bar" });
    home.append(make("section", { className: "scene", id, "aria-labelledby": `${id}-title` },
      make("h2", { id: `${id}-title` }, make("span", { className: "number", textContent: number }), ` ${definition.title}`),
      make("p", { className: "sentence", textContent: definition.sentence }), formula,
      make("div", { className: "stage" }, pictures, panel),
      make("div", { className: "question" }, make("p", {}, make("strong", { textContent: "Your turn. " }), definition.question), act, reply),
      ...(definition.bridge ? [make("p", { className: "bridge", textContent: definition.bridge })] : [])));
    const terms = definition.formula.map((part) => {
      if (typeof part === "string") { formula.append(make("span", { innerHTML: part })); return null; }
      const value = make("small"), symbol = make("span", { innerHTML: part.html });
      const button = make("button", { type: "button", className: "term", "aria-pressed": "false", dataset: { term: part.term } }, symbol, value);
      const light = (on) => { self.lit = on ? part.term : null; button.setAttribute("aria-pressed", String(on)); definition.draw(self); };
      for (const [type, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) button.addEventListener(type, () => light(on));
      formula.append(button);
      return { button, value, read: part.value };
    }).filter(Boolean);

    function refresh() {
      definition.update(self);
      tools.refresh();
      for (const term of terms) {
        const text = term.read(self);
        if (term.value.textContent !== text) {
          term.value.textContent = text;
          if (self.touched) {
            term.button.classList.remove("changed");
            requestAnimationFrame(() => term.button.classList.add("changed"));
          }
        }
      }
      definition.draw(self);
      live.textContent = definition.said ? definition.said(self) : "";
      show.disabled = !self.touched || self.revealed;
      if (self.touched && !self.revealed && definition.solved(self)) {
        self.revealed = true;
        show.disabled = true;
        reply.textContent = definition.answer(self);
      }
    }
    Object.assign(self, {
      moved() { self.touched = true; refresh(); },
      reset() {
        Object.assign(self, { touched: false, revealed: false, lit: null, data: definition.start() });
        reply.textContent = "";
        refresh();
        definition.began?.(self);
      },
      refresh, pictures, panel, id,
    });
    const tools = controls(self, panel);
    self.tools = tools;
    definition.build(self);
    panel.append(live);
    show.addEventListener("click", () => { definition.show(self); self.moved(); });
    reset.addEventListener("click", self.reset);
    act.append(show, reset);
    refresh();
    return self;
  }

  function start() {
    const settings = JSON.parse(document.getElementById("settings").textContent);
    const home = document.getElementById("scenes"), scenes = root.PartitopeScenes.map((definition, at) => scene(at + 1, definition, home));
    const laboratories = root.PartitopeLaboratories.map((build) => build(document.getElementById("laboratories")));
    const hook = root.PartitopeHook();
    const again = () => { readTheme(); [hook, ...scenes, ...laboratories].forEach((part) => part.refresh()); };
    root.PartitopeTheme(again);
    let waiting = 0;
    root.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => { scenes.forEach((s) => s.fit?.()); again(); }); });
    if (settings.laboratory) {
      for (const link of document.querySelectorAll("a.laboratory")) { link.href = settings.laboratory; link.hidden = false; }
    }
    document.getElementById("contents").append(...scenes.map((s, at) =>
      make("li", {}, make("a", { href: `#${s.id}`, textContent: root.PartitopeScenes[at].title }))));
    root.partitopeArticle = { scenes, laboratories };
    const openLink = async () => {
      if (!/^#p\d/.test(root.location.hash)) return;
      const bounds = laboratories.find(({ id }) => id === "bounds");
      try {
        bounds.open(await root.PartitopeLinks.fromLink(root.location.hash));
      } catch (problem) {
        bounds.refuse(problem.message);
      }
      document.getElementById("bounds").scrollIntoView();
    };
    root.addEventListener("hashchange", openLink);
    openLink();
  }

  root.PartitopeArticle = { make, controls, plane, numberLine, scene, start, solve };
})(window);
