// @ts-check
// Fills the charts of charts/*.json with figures, and draws them.

// What is further above the middle half than this, in its width or as a factor, is beyond the axis; and what is further
// below the least of all medians that is not so far below.
const REACH = { widths: 2, factor: 6 }, DEEP = 64;
const HUES = 4; // the lines of Freehold's that have a color, the best ones
const NAME_STEP = 16;
const VALUES = 130; // the room of the figures at the right
const SLIM = 480; // a chart that is not as wide has its names above its bars; in pixels
const LIFT = 15, LINE = 14, STEP = 21;
const MOST_BYTES_DIGITS = { maximumFractionDigits: 1 };

/** Starts the chart library, which is a page of code: the first time that a chart is shown. */
const chartLibrary = once(async () => {
  const script = document.createElement("script");
  script.textContent = await unpacked("vega");
  document.head.append(script);
  return /** @type {any} */ (globalThis).vegaEmbed;
});

/** Draws the chart called `name` into a figure with that caption. */
async function drawChart(name, caption, data, parameters, size, axes = {}) {
  const place = element("div", { class: "chart" });
  const made = element("figure", {}, element("figcaption", {}, caption), place);
  const [{ charts }, embed] = await Promise.all([tables(), chartLibrary()]);
  const chart = structuredClone(charts[name]);
  for (const each of chart.params) if (each.name in parameters) each.value = parameters[each.name];
  for (const [axis, title] of Object.entries(axes)) chart.layer[0].encoding[axis].axis.title = title;
  Object.assign(chart, size, { datasets: data, description: caption });
  // Expressions are interpreted and not compiled, so that the page needs no right to make code.
  const { view } = await embed(place, chart, { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip: false });
  const picture = /** @type {SVGElement} */ (place.querySelector("svg"));
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", caption);
  picture.firstElementChild?.setAttribute("aria-hidden", "true"); // the table below says the same in order
  if (data.points) letChoose(place, view, [...new Set(data.points.map((point) => point.strategy))].reverse());
  return made;
}

/** Brings the line forward that the pointer is on, or that the arrow keys lead to; Enter shows all of its strategy. */
function letChoose(/** @type {HTMLElement} */ place, view, /** @type {string[]} */ strategies) {
  let chosen = "";
  const bring = (strategy) => view.signal("chosen", (chosen = strategy)).runAsync();
  view.addEventListener("pointerover", (_, item) => bring(item?.datum?.strategy ?? ""));
  place.addEventListener("pointerleave", () => bring(""));
  place.addEventListener("blur", () => bring(""));
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "Lines: arrow keys choose one, Enter shows all of its strategy");
  place.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && chosen) choose({ strategy: chosen });
    if (!step) return;
    event.preventDefault();
    bring(strategies[(strategies.indexOf(chosen) + step + strategies.length) % strategies.length]);
  });
}

function colorOf(/** @type {string} */ strategy, reference) {
  if (isOurs(strategy)) return "var(--accent)";
  return strategy === reference ? "currentColor" : "var(--peer)";
}

const measure = once(() => {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = `bold 12px ${getComputedStyle(document.body).fontFamily}`;
  return (text) => context.measureText(text).width;
});

/** The room that names need. */
function nameWidth(/** @type {string[]} */ labels, /** @type {number} */ most) {
  return Math.min(most, Math.ceil(Math.max(40, ...labels.map(measure()))) + 16);
}

/** Draws the ratios of `found`, which are of one place, `width` pixels wide: each strategy a row. */
function drawRatios(caption, found, control, reference, width) {
  const there = found.filter((each) => Number.isFinite(each.ratio)).sort((a, b) => a.ratio - b.ratio);
  const rows = there.filter((each) => !isFloor(each.strategy)).map((each) => ({
    ...each, label: labelOf(each.strategy), href: address({ strategy: each.strategy }),
    ours: isOurs(each.strategy), color: colorOf(each.strategy, reference), isReference: each.strategy === reference,
  }));
  return drawRows(caption, rows, there.find((each) => isFloor(each.strategy)), control, width);
}

/** Draws `found`, each with its label, color and ratio, and below it the `floor` of all. */
function drawRows(caption, found, floor, control, width) {
  const [lowest, highest] = bulk(found.map((each) => each.ratio));
  const within = (value) => Math.min(Math.max(value, lowest), highest);
  const arrow = (value) => (value < lowest ? "triangle-left" : value > highest ? "triangle-right" : "circle");
  const rows = found.map(({ label, href, ours, color, full, ...each }) => ({
    strategy: each.strategy, label, href, ours, color, full: full ?? namesOf(each.strategy),
    shape: arrow(each.ratio),
    at: within(each.ratio), low: within(each.low), high: within(each.high),
    value: told(each, each.isReference),
    interval: times(each.low) === times(each.high) ? "" : `${times(each.low)}–${times(each.high)}`,
  }));
  const beyond = found.flatMap(({ strategy, color, low, high }) =>
    [low, high].filter((end) => arrow(end) !== "circle").map((end) => ({ strategy, color, at: within(end), shape: arrow(end) })));
  const floors = floor ? [{ at: within(floor.ratio), label: `${floor.ratio < lowest ? "◂ " : ""}${labelOf(floor.strategy)} ${times(floor.ratio)}` }] : [];
  const slim = width < SLIM;
  if (slim) for (const row of rows) row.label = row.label.replace(" ÷", "\n÷");
  const lift = slim ? LIFT + LINE * Number(rows.some((row) => row.label.includes("\n"))) : 0;
  const names = slim ? width - VALUES : nameWidth(rows.map((row) => row.label), width * 0.42);
  const room = slim ? { left: 8, right: 16 } : { left: names, right: VALUES };
  return drawChart("ratios", caption,
    { rows, beyond, floors, control: [{ low: within(1 / control), high: within(control) }] },
    { lowest, highest, ticks: ticks(lowest, highest, 5), names, lift },
    { width: width - room.left - room.right, height: { step: STEP + lift }, padding: { ...room, top: 22 + lift / 2, bottom: floors.length ? 20 : 6 } });
}

/** The ends of an axis that holds the bulk of `ratios` and 1. */
function bulk(/** @type {number[]} */ ratios) {
  const logs = ratios.map(Math.log).sort((a, b) => a - b);
  const quartile = (part) => logs[Math.round(part * (logs.length - 1))] ?? 0;
  const reach = Math.max(REACH.widths * (quartile(0.75) - quartile(0.25)), Math.log(REACH.factor));
  const low = Math.max(Math.min(...logs), quartile(0.25) - Math.log(DEEP));
  const high = Math.min(Math.max(...logs), quartile(0.75) + reach);
  return [Math.exp(Math.min(low, -0.1) - 0.06), Math.exp(Math.max(high, 0.1) + 0.06)];
}

/** Round numbers between two ends of a logarithmic axis, at most `most` of them. */
function ticks(/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ most) {
  const fine = high / low < 3 ? [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] : high / low < 500 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const step of fine) {
      const tick = Number((step * 10 ** power).toPrecision(3));
      if (tick >= low && tick <= high) found.push(tick);
    }
  const skip = Math.ceil(found.length / most);
  const one = Math.max(0, found.indexOf(1));
  return found.filter((_, at) => (at - one) % skip === 0);
}

/** Draws time over x, a line for each strategy, `width` pixels wide: the best of Freehold's, the reference and the floor
 * in colors, the others gray until one is chosen. */
async function drawScaling(caption, found, { unit, axis }, reference, width) {
  const height = 400;
  const byStrategy = Map.groupBy(found.filter((each) => each.time > 0 && each.x > 0), (each) => each.strategy);
  const timed = [...byStrategy].filter(([, own]) => own.length > 1);
  if (!timed.length) return null;
  const ends = timed.map(([strategy, own]) => {
    own.sort((a, b) => a.x - b.x);
    const { x, time } = own[own.length - 1];
    return { strategy, label: labelOf(strategy), full: namesOf(strategy), href: address({ strategy }), y: (time * unit.factor) / (unit.divided ? x : 1) };
  }).sort((a, b) => a.y - b.y);
  const best = ends.filter((end) => isOurs(end.strategy)).slice(0, HUES);
  const floor = ends.find((end) => isFloor(end.strategy));
  for (const end of ends) {
    const hue = best.indexOf(end);
    const color = hue >= 0 ? `var(--line-${hue})` : end.strategy === reference ? "currentColor" : end === floor ? "var(--second)" : "var(--peer)";
    Object.assign(end, { ours: isOurs(end.strategy), color, forward: color !== "var(--peer)" });
  }
  const points = ends.flatMap((end) => byStrategy.get(end.strategy).map(({ x, time }) => ({ ...end, x, y: (time * unit.factor) / (unit.divided ? x : 1) })));
  const values = points.map((point) => point.y);
  const lowest = Math.min(...values) / 1.1, highest = Math.max(...values) * 1.1;
  const slim = width < SLIM;
  const tall = slim ? height : Math.max(height, NAME_STEP * ends.length + 20);
  const down = (y) => tall * (1 - Math.log(y / lowest) / Math.log(highest / lowest));
  ends.reverse();
  const places = apart(ends.map((end) => down(end.y)), NAME_STEP, tall);
  ends.forEach((end, at) => Object.assign(end, { end: down(end.y), at: places[at] }));
  const names = slim ? 16 : nameWidth(ends.map((end) => end.label), width * 0.4) + 30;
  const sizes = ascending(points.map((point) => point.x));
  const made = await drawChart("scaling", caption, { points, ends: slim ? [] : ends },
    { lowest, highest, ticks: ticks(lowest, highest, 8), sizes, names },
    { width: width - names - 62, height: tall, padding: { left: 62, right: names, top: 10, bottom: 42 } },
    { x: axis, y: unit.words });
  if (slim) made.append(namesBelow(ends.filter((end) => end.forward)));
  return made;
}

/** The names of the lines that have a color, where there is no room beside them. */
function namesBelow(ends, others = "gray: all others") {
  const names = ends.map(({ label, href, color }) => {
    const name = element("a", { href }, label);
    name.style.color = color;
    return name;
  });
  return element("p", { class: "series" }, ...names, element("small", {}, others));
}

/** `heights`, which ascend, moved so that any two are at least a `step` apart, between 0 and `most`. */
function apart(/** @type {number[]} */ heights, /** @type {number} */ step, /** @type {number} */ most) {
  const moved = [...heights];
  for (let at = 1; at < moved.length; at++) moved[at] = Math.max(moved[at], moved[at - 1] + step);
  for (let at = moved.length - 1, limit = most; at >= 0; at--, limit -= step) moved[at] = Math.min(moved[at], limit);
  return moved;
}

/** Draws the bytes of each strategy in `found`. */
async function drawSizes(caption, found, width) {
  const sorted = [...found].sort((a, b) => a.altogether - b.altogether);
  const rows = sorted.map(({ strategy, altogether }) => ({
    strategy, label: labelOf(strategy), full: namesOf(strategy), ours: isOurs(strategy), href: address({ strategy }),
    total: altogether.toLocaleString("en-US", MOST_BYTES_DIGITS),
  }));
  // A control below 0 shortens the object's part: a bar ends at the total.
  const parts = sorted.flatMap(({ strategy, handle, control, altogether }) => [
    { strategy, part: "handle", from: 0, to: handle },
    { strategy, part: "control", from: handle, to: handle + Math.max(0, control) },
    { strategy, part: "object", from: handle + Math.max(0, control), to: altogether },
  ]).filter((part) => part.to > part.from);
  const lift = width < SLIM ? LIFT : 0;
  const names = lift ? width - 60 : nameWidth(rows.map((row) => row.label), width * 0.45);
  const room = lift ? { left: 8, right: 16 } : { left: names, right: 60 };
  const made = await drawChart("sizes", caption, { rows, parts }, { names, lift },
    { width: width - room.left - room.right, height: { step: STEP + lift }, padding: { ...room, top: 52 + lift, bottom: 6 } });
  const saving = sorted.filter((each) => each.control < 0).map((each) => labelOf(each.strategy));
  if (saving.length) made.append(element("p", { class: "legend" }, `A control below 0 (${saving.join(", ")}): the object’s block lacks the bytes that malloc adds to one from new.`));
  return made;
}
