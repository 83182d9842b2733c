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

/** A ratio in words: a tie says so. */
function told(/** @type {Ratio} */ { ratio, tie }, isReference = false) {
  return isReference ? "1" : (tie ? "≈" : "") + times(ratio);
}

/** A circle, or beyond the ends of the strip an arrowhead. */
function dot(each, /** @type {string} */ kind, /** @type {string} */ name) {
  const log = Math.log(each.ratio);
  const marks = { class: kind, "data-name": name };
  if (log >= STRIP.low && log <= STRIP.high) return drawn("circle", { cx: across(each.ratio), cy: "50%", r: kind === "ours" ? 4 : 3, ...marks });
  const arrow = drawn("svg", { x: across(each.ratio), y: "50%", overflow: "visible" });
  arrow.append(drawn("path", { d: log < STRIP.low ? "M0-5V5L-9 0z" : "M0-5V5L9 0z", ...marks }));
  return arrow;
}

/** Fills the line of a section. */
function drawOverview(/** @type {Element} */ line, section, found, chosen, ranks, /** @type {string} */ reference) {
  const say = (text) => line.replaceChildren(element("small", { class: "words" }, text));
  const all = atFirstSeries(section, found, chosen, ranks);
  if (!all.length) return say(section.tables.length ? "not measured for this choice" : "not measured in this run");
  const wanted = wantedBy(chosen);
  const own = all.filter((each) => wanted(each.strategy));
  if (!own.length) return say(noMatch(chosen));
  const strip = drawn("svg", { class: "strip", "aria-hidden": "true" });
  for (const tick of TICKS.keys()) strip.append(drawn("line", { x1: across(tick), x2: across(tick), y1: 0, y2: "100%", class: tick === 1 ? "one" : "" }));
  const order = (each) => (isFloor(each.strategy) ? "floor" : isOurs(each.strategy) ? "ours" : "peer");
  for (const kind of ["floor", "peer", "ours"])
    for (const each of own.filter((each) => order(each) === kind))
      strip.append(dot(each, kind, `${told(each, each.strategy === reference)} ${namesOf(each.strategy)}`));
  const words = element("span", { class: "best" });
  const ours = own.find((each) => order(each) === "ours"), peer = own.find((each) => order(each) === "peer");
  const compared = own.filter((each) => order(each) !== "floor" && each.strategy !== reference);
  if (compared.length && compared.every((each) => each.tie)) words.append(element("small", { class: "words" }, "nothing differs beyond the noise"));
  else {
    words.append(ours ? element("b", { class: ours.tie ? "tied" : "" }, told(ours, ours.strategy === reference)) : "", element("span", { class: ours?.tie ? "tied" : "" }, ours ? labelOf(ours.strategy) : ""));
    if (peer) words.append(element("small", {}, `${told(peer, peer.strategy === reference)} ${labelOf(peer.strategy)}`));
  }
  const where = [own[0].series, section.sizes[own[0].x]].filter(Boolean).join(", ");
  return line.replaceChildren(element("small", { class: "where" }, where, element("span", { class: "reference" }, `1 = ${labelOf(reference)}`)), strip, words);
}

/** Names the dot that the pointer is on, or that the arrow keys lead to, in the place of the reference. */
function nameDots(/** @type {HTMLElement} */ fold) {
  const summary = /** @type {HTMLElement} */ (fold.querySelector("summary"));
  const line = /** @type {HTMLElement} */ (fold.querySelector(".line"));
  let said = "";
  const name = (/** @type {Element | null | undefined} */ dot) => {
    const place = line.querySelector(".reference");
    if (!place) return;
    line.querySelector(".named")?.classList.remove("named");
    said ||= place.textContent ?? "";
    place.textContent = dot?.getAttribute("data-name") ?? said;
    dot?.classList.add("named");
    if (!dot) said = "";
  };
  line.addEventListener("pointerover", (event) => name(/** @type {Element} */ (event.target).closest("[data-name]")));
  line.addEventListener("pointerleave", () => name(null));
  summary.addEventListener("blur", () => name(null));
  summary.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const dots = [...line.querySelectorAll("[data-name]")].sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
    const at = dots.findIndex((dot) => dot.classList.contains("named"));
    name(dots[(at + step + dots.length + (at < 0 && step < 0 ? 1 : 0)) % dots.length]);
  });
}
