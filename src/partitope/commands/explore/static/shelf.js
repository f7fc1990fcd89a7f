"use strict";
/* What comes into the page from outside: files of points, with a choice of columns, and scenarios kept by name. */
(function (root) {
  const { readColumns, pairs } = root.PartitopePoints;
  const at = (id) => document.getElementById(id);

  /* The file picker. `accept(points)` shows points, `refuse(sentence)` says what is wrong. */
  root.PartitopeFiles = function ({ accept, refuse }) {
    const dialog = at("chooser"), selects = [at("column-x"), at("column-y")];
    let table = null, name = "";

    function finish(chosen) {
      try {
        const points = pairs(table, chosen);
        accept(points);
        at("loaded").textContent = `${name}: ${points.length} points of ${chosen.map((c) => table.names[c].slice(0, 40)).join(" and ")}`;
      } catch (problem) {
        refuse(`${name}: ${problem.message}`);
      }
    }

    function ask() {
      const comma = table.decimal === "," ? " Numbers are written with a decimal comma: 1,5 is one and a half." : "";
      at("chooser-text").textContent = `${name} holds ${table.rows.length} lines with ${table.names.length} columns.${comma}`;
      selects.forEach((select, which) => {
        select.replaceChildren(...table.numeric.map((c) => new Option(table.names[c].slice(0, 60), c, false, c === table.usual[which])));
      });
      const row = (words, kind) => {
        const line = document.createElement("tr");
        line.append(...table.names.map((_, c) => Object.assign(document.createElement(kind), { textContent: (words[c] ?? "").slice(0, 40) })));
        return line;
      };
      at("preview").replaceChildren(row(table.names, "th"), ...table.rows.slice(0, 4).map(({ words }) => row(words, "td")));
      dialog.returnValue = "";
      dialog.showModal();
    }

    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "use") finish(selects.map((select) => Number(select.value)));
    });
    at("file").addEventListener("change", async () => {
      const file = at("file").files[0];
      if (!file) return;
      name = file.name;
      try {
        if (file.size > 5e6) throw new Error(`it has ${file.size} bytes, at most 5 million are read`);
        table = readColumns(await file.text());
        if (table.names.length > 2 || table.decimal === ",") ask();
        else finish(table.usual);
      } catch (problem) {
        refuse(`${name}: ${problem.message}`);
      }
      at("file").value = ""; // the same file may be read again
    });
  };

  /* Named scenarios: links, kept by this browser. `make()` gives the link of now, `open(link)` shows one. */
  root.PartitopeScenarios = function ({ make, open }) {
    const KEY = "partitope.scenarios";
    let kept = [];
    try {
      const read = JSON.parse(root.localStorage.getItem(KEY) || "[]");
      if (Array.isArray(read)) kept = read.filter((s) => s && typeof s.name === "string" && typeof s.link === "string");
    } catch { /* nothing is kept here; scenarios last as long as the page */ }

    function show() {
      try {
        root.localStorage.setItem(KEY, JSON.stringify(kept));
      } catch { /* as above */ }
      at("scenarios").replaceChildren(...kept.map((scenario) => {
        const line = document.createElement("li");
        const button = (text, label, act) => {
          const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
          made.setAttribute("aria-label", label);
          made.addEventListener("click", act);
          return made;
        };
        line.append(
          button(scenario.name, `Open ${scenario.name}`, () => open(scenario.link)),
          button("Delete", `Delete ${scenario.name}`, () => { kept = kept.filter((s) => s !== scenario); show(); }),
        );
        return line;
      }));
    }

    at("scenario-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const name = at("scenario-name").value.trim().slice(0, 60);
      if (!name) return;
      kept = [...kept.filter((s) => s.name !== name), { name, link: await make() }];
      at("scenario-name").value = "";
      show();
    });
    show();
  };

  /* Light, dark, or as the system is; `changed` draws again. */
  root.PartitopeTheme = function (changed) {
    const select = at("theme"), KEY = "partitope.theme";
    const apply = () => {
      if (select.value) document.documentElement.dataset.theme = select.value;
      else delete document.documentElement.dataset.theme;
      changed();
    };
    try {
      select.value = root.localStorage.getItem(KEY) || "";
    } catch { /* nothing is kept here */ }
    if (select.selectedIndex < 0) select.value = "";
    select.addEventListener("change", () => {
      try {
        root.localStorage.setItem(KEY, select.value);
      } catch { /* nothing is kept here */ }
      apply();
    });
    root.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
    apply();
  };
})(window);
