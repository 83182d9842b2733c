// @ts-check
// Memory over time: a line for each strategy.

const MEBIBYTE = 1 << 20;
const LINES = 8; // that the page's style has colors for

/** Draws the resident memory of each of `found` over time, `width` pixels wide, above what the program uses. A step is
 * where its median of all is, so that all do the same at the same place, also those that were hindered. */
async function drawTimelines(caption, found, /** @type {string} */ reference, /** @type {number} */ width) {
  const height = 400;
  const slim = width < SLIM;
  const last = (each) => each.moments[each.moments.length - 1];
  const hues = [...found].filter((each) => each.strategy !== reference).sort((a, b) => Number(isOurs(b.strategy)) - Number(isOurs(a.strategy))).map((each) => each.strategy);
  const highest = Math.max(...found.map((each) => each.peak)) / MEBIBYTE * 1.04;
  const most = found.reduce((most, each) => Math.max(most, each.moments.length), 0);
  const seconds = Array.from({ length: most }, (_, at) => median(found.flatMap(({ moments }) => moments[at]?.milliseconds ?? [])) / 1000);
  const down = (y) => height * (1 - y / highest);
  const ends = found.map((each) => {
    const hue = hues.indexOf(each.strategy);
    const { strategy } = each;
    return {
      strategy, label: labelOf(strategy), full: namesOf(strategy), href: address({ strategy }), ours: isOurs(strategy),
      color: hue < 0 ? "currentColor" : hue < LINES ? `var(--line-${hue})` : "var(--peer)", end: down(last(each).resident / MEBIBYTE), at: 0,
    };
  }).sort((a, b) => a.end - b.end);
  const places = apart(ends.map(({ end }) => end), NAME_STEP, height);
  ends.forEach((end, at) => (end.at = places[at]));
  const style = new Map(ends.map((end) => [end.strategy, end]));
  const line = (each, which, looks) => each.moments.map((moment, at) => ({ ...looks, x: seconds[at], y: moment[which] / MEBIBYTE }));
  const points = found.flatMap((each) => line(each, "resident", style.get(each.strategy)));
  const used = line(found.find((each) => each.strategy === reference) ?? found[0], "used", { strategy: "used" });
  const names = slim ? 16 : nameWidth(ends.map((end) => end.label), width * 0.4) + 30;
  const made = await drawChart("timelines", caption, { points, used, ends: slim ? [] : ends }, { highest, longest: seconds[most - 1], names },
    { width: width - names - 62, height, padding: { left: 62, right: names, top: 10, bottom: 42 } }, { x: "seconds", y: "MiB" });
  if (slim) made.append(namesBelow(ends, ""));
  return made;
}
