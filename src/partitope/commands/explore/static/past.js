"use strict";
/* Undo, redo and the browser's Back: one list of states, each of them an entry of the browser's own history.

   `capture` gives what is kept, `restore` takes it back, `address` makes its link, `open` reads a link that somebody
   else put into the address bar, `told` hears what can be undone and redone. */
(function (root) {
  const KEPT = 100;

  root.PartitopePast = function ({ capture, restore, address, open, told }) {
    const session = `${Date.now()}.${Math.random()}`, steps = [];
    let place = -1, waiting = 0;

    function enter(method, data, link) {
      try {
        root.history[method](data, "", link);
      } catch { /* a page without a history, such as one in a frame: undo still works where it can */ }
    }

    function commit({ replace = false } = {}) {
      clearTimeout(waiting);
      waiting = 0;
      const now = JSON.stringify(capture());
      if (steps[place] === now) return;
      const first = place < 0;
      steps.length = ++place;
      steps[place] = now;
      delete steps[place - KEPT];
      const mine = { session, place };
      enter(first || replace ? "replaceState" : "pushState", mine);
      address().then((link) => { if (steps[mine.place] === now && place === mine.place) enter("replaceState", mine, link); });
      told(place > 0 && place - 1 in steps, false);
    }

    /* Changes that follow each other quickly, such as those of a held key, are one step. */
    function later() {
      clearTimeout(waiting);
      waiting = setTimeout(commit, 300);
    }

    function flush() { if (waiting) commit(); }

    root.addEventListener("popstate", async (event) => {
      clearTimeout(waiting);
      waiting = 0;
      const known = event.state && event.state.session === session && steps[event.state.place];
      if (!known) {
        if (await open(root.location.hash)) commit({ replace: true });
        return;
      }
      place = event.state.place;
      restore(JSON.parse(known));
      told(place - 1 in steps, place + 1 in steps);
    });

    return {
      commit, later, flush,
      undo() { flush(); if (place - 1 in steps) root.history.back(); },
      redo() { flush(); if (place + 1 in steps) root.history.forward(); },
    };
  };
})(window);
