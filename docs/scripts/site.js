"use strict";
/* What the pages of the site need beyond the theme: wide regions that keys can scroll, and names for the groups of buttons
   at blocks of code. */
(function () {
  const REGIONS = ".formula, .md-typeset__scrollwrap, .md-sidebar__scrollwrap, .scroll, .md-typeset pre > code";

  /* Fades the right edge of a region while there is more to see beyond it. */
  const fade = (region) => region.classList.toggle("more", region.scrollLeft + region.clientWidth < region.scrollWidth - 1);

  function name() {
    document.querySelectorAll("nav.md-code__nav").forEach((nav, at) => nav.setAttribute("aria-label", `Tools of code block ${at + 1}`));
    for (const formula of document.querySelectorAll("span.formula")) {
      const room = formula.closest("p, li, td, dd, details")?.clientWidth;
      if (room) formula.classList.toggle("wide", formula.firstElementChild.getBoundingClientRect().width > room);
    }
    for (const region of document.querySelectorAll(REGIONS)) {
      if (region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight) region.tabIndex = 0;
      fade(region);
      region.onscroll = () => fade(region);
    }
  }

  function start() {
    name();
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
    for (const event of ["resize", "load"]) window.addEventListener(event, name);
    document.fonts?.ready.then(name); // letters of other widths
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
