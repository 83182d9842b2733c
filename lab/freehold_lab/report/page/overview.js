// @ts-check
// The line of a folded section: every ratio at the chosen point as a dot, and the best of Freehold's and of the others.

const STRIP = { low: Math.log(1 / 8), high: Math.log(8) };
const SVG = "http://www.w3.org/2000/svg";

function across(/** @type {number} */ ratio) {
  const at = Math.min(Math.max(Math.log(ratio), STRIP.low), STRIP.high);
  return `${((100 * (at - STRIP.low)) / (STRIP.high - STRIP.low)).toFixed(1)}%`;
}

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** The figures of the first series at the chosen size. */
function atFirstSeries(found, chosen, ranks) {
  const here = found.filter((each) => each.compiler === chosen.compiler && each.state === chosen.state && each.ratio !== undefined);
  const own = here.filter((each) => each.series === here[0]?.series);
  const x = ofRank([...new Set(own.map((each) => each.x))].sort((a, b) => a - b), Number(chosen.size), ranks);
  return own.filter((each) => each.x === x);
}

/** Fills the line of a section. */
function drawOverview(/** @type {Element} */ line, section, found, chosen, ranks) {
  const own = atFirstSeries(found, chosen, ranks).sort((a, b) => a.ratio - b.ratio);
  const strip = drawn("svg", { class: "strip", "aria-hidden": "true" });
  for (const tick of [0.25, 0.5, 1, 2, 4]) strip.append(drawn("line", { x1: across(tick), x2: across(tick), y1: 0, y2: "100%", class: tick === 1 ? "one" : "" }));
  for (const ours of [false, true])
    for (const each of own.filter((each) => isOurs(each.strategy) === ours)) {
      const kind = isFloor(each.strategy) ? "floor" : ours ? "ours" : "peer";
      strip.append(drawn("circle", { cx: across(each.ratio), cy: "50%", r: ours ? 4 : 3, class: kind }));
    }
  const best = (choice) => own.find((each) => !isFloor(each.strategy) && choice(each.strategy));
  const words = element("span", { class: "best" });
  const ours = best(isOurs), peer = best((strategy) => !isOurs(strategy));
  if (ours) words.append(element("b", {}, labelOf(ours.strategy)), ` ${times(ours.ratio)} `);
  if (peer) words.append(element("small", {}, `${labelOf(peer.strategy)} ${times(peer.ratio)}`));
  const where = own.length ? element("small", { class: "where" }, [own[0].series, section.sizes[own[0].x]].filter(Boolean).join(", ")) : "";
  line.replaceChildren(...(own.length ? [where, strip, words] : []));
}
