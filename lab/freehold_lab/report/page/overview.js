// @ts-check
// The line of a folded section: every ratio at the chosen point as a dot, and the best of Freehold's and of the others.

const STRIP = { low: Math.log(1 / 16), high: Math.log(8) };
const TICKS = new Map([[0.125, "⅛"], [0.25, "¼"], [0.5, "½"], [1, "1"], [2, "2"], [4, "4 ×"]]);

function across(/** @type {number} */ ratio) {
  const at = Math.min(Math.max(Math.log(ratio), STRIP.low), STRIP.high);
  return `${((100 * (at - STRIP.low)) / (STRIP.high - STRIP.low)).toFixed(1)}%`;
}

function drawn(/** @type {string} */ tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** The axis of all lines of a group. */
function drawScale(/** @type {Element} */ place) {
  const scale = drawn("svg", { class: "strip", "aria-hidden": "true" });
  for (const [tick, text] of TICKS) scale.append(drawn("text", { x: across(tick), y: "80%" }, text));
  place.replaceChildren(element("small", {}, ""), scale, element("small", {}, "Freehold’s best, and the best of the others"));
}

/** The figures at the chosen size of the first series that has any. */
function atFirstSeries(section, found, chosen, ranks) {
  const here = found.filter((each) => each.compiler === chosen.compiler && (!each.state || each.state === chosen.state));
  const first = section.series.find((series) => here.some((each) => each.series === series)) ?? here[0]?.series;
  const own = here.filter((each) => each.series === first);
  const x = ofRank(ascending(own.map((each) => each.x)), Number(chosen.size), ranks);
  return own.filter((each) => each.x === x).sort((a, b) => a.ratio - b.ratio);
}

/** Fills the line of a section. */
function drawOverview(/** @type {Element} */ line, section, found, chosen, ranks) {
  const own = atFirstSeries(section, found, chosen, ranks);
  if (!own.length) return line.replaceChildren(element("small", { class: "where" }, section.tables.length ? "not measured for this choice" : "not measured in this run"));
  const strip = drawn("svg", { class: "strip", "aria-hidden": "true" });
  for (const tick of TICKS.keys()) strip.append(drawn("line", { x1: across(tick), x2: across(tick), y1: 0, y2: "100%", class: tick === 1 ? "one" : "" }));
  const order = (each) => (isFloor(each.strategy) ? "floor" : isOurs(each.strategy) ? "ours" : "peer");
  for (const kind of ["floor", "peer", "ours"])
    for (const each of own.filter((each) => order(each) === kind))
      strip.append(drawn("circle", { cx: across(each.ratio), cy: "50%", r: kind === "ours" ? 4 : 3, class: kind }));
  const words = element("span", { class: "best" });
  const ours = own.find((each) => order(each) === "ours"), peer = own.find((each) => order(each) === "peer");
  if (ours) words.append(element("b", {}, times(ours.ratio)), ` ${labelOf(ours.strategy)}`);
  if (peer) words.append(element("small", {}, `${times(peer.ratio)} ${labelOf(peer.strategy)}`));
  const where = [own[0].series, section.sizes[own[0].x]].filter(Boolean).join(", ");
  return line.replaceChildren(element("small", { class: "where" }, where), strip, words);
}
