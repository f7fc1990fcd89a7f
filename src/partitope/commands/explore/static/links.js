"use strict";
/* States as links, and what a state must be. A link says its version and its checksum, so that a cut or changed one is
   told from a whole one:

   Points that the page can draw itself stand in it by their name.

     #p2.CHECKSUM.METHOD.TEXT     CHECKSUM  CRC-32 of METHOD.TEXT, eight hexadecimal digits
                                  METHOD    z: JSON deflated (RFC 1951), r: JSON as it is
                                  TEXT      in base64url */
(function (root) {
  const MAX_CLUSTERS = 12, MAX_POINTS = 5000, LARGEST = 1e60, MAX_TEXT = 2e6;
  const DAMAGED = "This link is damaged or cut off: its checksum does not fit, and nothing of it was opened. Ask for it again.";

  const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
  });

  function checksum(text) {
    let crc = -1;
    for (const byte of new TextEncoder().encode(text)) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
    return ((crc ^ -1) >>> 0).toString(16).padStart(8, "0");
  }

  /* Bytes through a (de)compressing stream; more than `most` bytes are refused while they come. */
  async function through(bytes, stream, most = Infinity) {
    const parts = [], reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    for (let size = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      size += value.length;
      if (size > most) { await reader.cancel(); throw new Error("too long"); }
      parts.push(value);
    }
  }

  const toText = (bytes) => {
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

  /* The part of a link behind its address; `view` is how the state is shown. */
  async function toLink(state, view) {
    const { builtIn } = root.PartitopePoints, points = builtIn(state.points) || state.points;
    let bytes = new TextEncoder().encode(JSON.stringify({ state: { ...state, points }, view })), method = "r";
    if (root.CompressionStream) {
      bytes = await through(bytes, new CompressionStream("deflate-raw"));
      method = "z";
    }
    const text = `${method}.${toText(bytes)}`;
    return `#p2.${checksum(text)}.${text}`;
  }

  /* { state, view } of a link; null where there is none; throws with one sentence when it cannot be used. */
  async function fromLink(hash) {
    if (["", "#", "#clusters"].includes(hash)) return null;
    if (/^#(kind|l|u|s|p)=/.test(hash)) {
      throw new Error("This link is of an earlier form that cannot show whether it is whole; nothing of it was opened. Make it anew.");
    }
    const found = /^#p(\d+)\.([0-9a-f]{8})\.(([zr])\.([\w-]+))$/.exec(hash);
    if (found && found[1] !== "2") throw new Error(`This link has version ${found[1].slice(0, 9)}, this page reads version 2: open it with a newer page.`);
    if (!found || checksum(found[3]) !== found[2]) throw new Error(DAMAGED);
    let read;
    try {
      let bytes = toBytes(found[5]);
      if (found[4] === "z") bytes = await through(bytes, new DecompressionStream("deflate-raw"), MAX_TEXT);
      read = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      throw new Error(DAMAGED);
    }
    if (read && read.state && typeof read.state.points === "string") read.state.points = root.PartitopePoints.builtInPoints(read.state.points);
    const problem = complaint(read && read.state);
    if (problem) throw new Error(`This link holds no state of this page (${problem}); nothing of it was opened.`);
    const { kind, points, sites, lower, upper } = read.state;
    return { state: { kind, points, sites, lower, upper }, view: read.view && typeof read.view === "object" ? read.view : {} };
  }

  /* What is wrong with a state, in a few words; the empty text when nothing is. */
  function complaint(state) {
    const pair = (p) => Array.isArray(p) && p.length === 2 && p.every((v) => Number.isFinite(v) && Math.abs(v) <= LARGEST);
    const size = (v) => Number.isInteger(v) && v >= 0 && v <= LARGEST;
    const list = (value, most) => Array.isArray(value) && value.length >= 1 && value.length <= most;
    if (!state || typeof state !== "object") return "it is no object";
    if (!["lsa", "csa"].includes(state.kind)) return "its kind of scores is not known";
    if (!list(state.sites, MAX_CLUSTERS) || !state.sites.every(pair)) return `it needs 1 to ${MAX_CLUSTERS} sites [x, y] within ${LARGEST}`;
    if (!list(state.points, MAX_POINTS) || !state.points.every(pair)) return `it needs 1 to ${MAX_POINTS} points [x, y] within ${LARGEST}`;
    const bounds = (list) => Array.isArray(list) && list.length === state.sites.length && list.every(size);
    return bounds(state.lower) && bounds(state.upper) ? "" : "it needs two whole bounds a site";
  }

  root.PartitopeLinks = { toLink, fromLink, complaint, MAX_CLUSTERS, MAX_POINTS, LARGEST };
})(typeof globalThis === "object" ? globalThis : window);
