"use strict";
/* What the pages of the site need beyond the theme: tables that sort and filter, wide regions that keys can scroll, and
   names for the groups of buttons at blocks of code. */
(function () {
  const number = (text) => (/^[\s−+-]*[\d.]/.test(text) ? parseFloat(text.replace("−", "-")) : NaN);

  /* Sorts the rows of a table by a column; numbers by value, everything else by letters. */
  function sortBy(table, column, button) {
    const body = table.tBodies[0], falling = button.parentNode.getAttribute("aria-sort") === "ascending";
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [a, b].map((row) => row.cells[column]?.textContent.trim() ?? ""), [p, q] = [number(x), number(y)];
      if (!x || !y) return Number(!x) - Number(!y); // what is empty stands last
      return (falling ? -1 : 1) * (Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q);
    });
    for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
    button.parentNode.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append(...rows);
  }

  function makeSortable(table, at) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, column, button));
      head.append(button);
    });
    const label = document.createElement("label"), input = document.createElement("input"), said = document.createElement("span");
    input.type = "search";
    said.setAttribute("role", "status");
    label.className = "filter";
    label.append(`Rows of table ${at + 1} that contain `, input);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
        shown += !row.hidden;
      }
      said.textContent = ` ${shown} of ${table.tBodies[0].rows.length}`;
    });
    label.append(said);
    table.before(label);
  }

  /* Fades the right edge of a region while there is more to see beyond it. */
  const fade = (region) => region.classList.toggle("more", region.scrollLeft + region.clientWidth < region.scrollWidth - 1);

  function name() {
    document.querySelectorAll("nav.md-code__nav").forEach((nav, at) => nav.setAttribute("aria-label", `Tools of code block ${at + 1}`));
    for (const formula of document.querySelectorAll("span.formula")) {
      const room = formula.closest("p, li, td, dd, details")?.clientWidth;
      if (room) formula.classList.toggle("wide", formula.firstElementChild.getBoundingClientRect().width > room);
    }
    for (const region of document.querySelectorAll(".formula, .md-typeset__scrollwrap, .scroll, .md-typeset pre > code")) {
      if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
      fade(region);
      region.onscroll = () => fade(region);
    }
  }

  function start() {
    if (location.pathname.includes("/reproduce/")) {
      [...document.querySelectorAll(".md-typeset table")].filter((t) => t.tHead && t.tBodies[0]?.rows.length > 5).forEach(makeSortable);
    }
    name();
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
    window.addEventListener("resize", name);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
