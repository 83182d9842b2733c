// @ts-check
// What an unfolded section shows: its charts and its tables, for what is chosen.

const DATA_SIZE = "data-size";
const LISTINGS = "heap-or-stack";
const WIDEST = 660;
const GAP = 40;

/** Says whether a strategy is among those that the toolbar asks for. */
function wantedBy(/** @type {Choice} */ chosen) {
  const words = chosen.find.toLowerCase();
  return (/** @type {string} */ strategy) => {
    const family = strategies().get(strategy)?.family;
    const inFamily = !chosen.family || family === chosen.family || (chosen.family === "ours" && isOurs(strategy));
    return inFamily && `${labelOf(strategy)} ${strategy}`.toLowerCase().includes(words);
  };
}

function noMatch(/** @type {Choice} */ { find, family }) {
  const sought = [find, family && `the family ${family === "ours" ? "Freehold’s" : family}`].filter(Boolean).join(" in ");
  return `No strategy here matches ${sought}.`;
}

function ascending(/** @type {number[]} */ values) {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Fills `place` with what is chosen of a section, unless something else `isLate` chosen meanwhile. */
async function drawSection(place, section, chosen, ranks, isLate) {
  const wanted = wantedBy(chosen);
  const x = ofRank(ascending(section.tables.map((table) => table.x).filter((x) => x)), Number(chosen.size), ranks);
  const { tabs, drawings, series } = await chartsOf(section, chosen, ranks, wanted, place.clientWidth);
  const shown = section.tables.filter((table) =>
    (!table.series.length || table.series.includes(series)) && (!table.compiler || table.compiler === chosen.compiler) &&
    (!table.state || table.state === chosen.state) && (!table.x || table.x === x));
  const isWanted = (row) => !row.strategy || wanted(row.strategy);
  const parts = shown.filter((table) => table.rows.some(isWanted)).map((table) => drawTable(table, isWanted));
  if (shown.length && !parts.length) return isLate() || place.replaceChildren(element("p", {}, noMatch(chosen)));
  if (!parts.length) parts.push(element("p", {}, section.tables.length ? "Not measured for what is chosen above." : "Not measured in this run."));
  const charts = element("div", { class: "charts" });
  if (section.workload === LISTINGS) parts.push(...(await listings(chosen, wanted)));
  if (isLate()) return;
  place.replaceChildren(...tabs, charts, ...parts);
  charts.replaceChildren(...(await Promise.all(drawings)).filter(Boolean));
}

/** The charts of one series of a section, at most two beside each other, and buttons for the other series. */
async function chartsOf(section, chosen, ranks, wanted, width) {
  const { references } = await tables();
  const { byWorkload, spreads } = await ratios();
  const reference = references[section.workload];
  const room = Math.max(280, Math.min(WIDEST, width < 2 * 480 ? width : (width - GAP) / 2));
  if (section.workload === DATA_SIZE) {
    const sizes = records((await packedResult()).data).filter((each) => each.compiler === chosen.compiler && wanted(each.strategy));
    return { tabs: [], drawings: sizes.length ? [drawSizes("Bytes of an object with one handle to it", sizes, room)] : [] };
  }
  const isHere = (each) => each.compiler === chosen.compiler && (!each.state || each.state === chosen.state) && (wanted(each.strategy) || each.strategy === reference);
  const compared = Map.groupBy((byWorkload.get(section.workload) ?? []).filter(isHere), (each) => each.series);
  const timed = Map.groupBy(((await medians()).get(section.workload) ?? []).filter(isHere), (each) => each.series);
  const all = [...new Set([...section.series, ...compared.keys()])];
  const series = all.includes(chosen.series) ? chosen.series : all[0];
  const followed = ((await timelines()).get(section.workload) ?? []).filter((each) => each.series === series && (wanted(each.strategy) || each.strategy === reference));
  const own = compared.get(series) ?? [], times = timed.get(series) ?? [];
  const x = ofRank(ascending(own.map((each) => each.x)), Number(chosen.size), ranks);
  const here = own.filter((each) => each.x === x);
  const drawings = [];
  if (followed.length) drawings.push(drawTimelines(`${sentence(series)}: resident memory over time; shaded: what the program uses`, followed, reference, room));
  if (here.length) {
    const caption = `${sentence(series, section.sizes[x])}: ${section.unit.measured}, 1 = ${labelOf(reference)}`;
    drawings.push(drawRatios(caption, here, spreads.get(placeOf(here[0])) ?? 1, reference, room));
  }
  if (ascending(times.map((each) => each.x)).length >= (section.axis === "threads" ? 2 : 3))
    drawings.push(drawScaling(`${sentence(series)}: time by ${section.axis}`, times, section, reference, room));
  return { tabs: all.length > 1 ? [seriesButtons(all, series)] : [], drawings, series };
}

/** Parts of a caption. */
function sentence(.../** @type {string[]} */ parts) {
  const text = parts.filter(Boolean).join(", ");
  return text && text[0].toUpperCase() + text.slice(1);
}

function seriesButtons(/** @type {string[]} */ all, /** @type {string} */ shown) {
  const button = (series) => element("button", { type: "button", "aria-pressed": String(series === shown), click: () => choose({ series }) }, series);
  return element("div", { class: "series", role: "group", "aria-label": "Series of the charts" }, ...all.map(button));
}

/** The machine code of the chosen compiler, a fold for each strategy. */
async function listings(chosen, wanted) {
  const all = records((await packedResult()).listings).filter((each) => each.compiler === chosen.compiler && wanted(each.strategy));
  return [...Map.groupBy(all, (each) => each.strategy)].map(([strategy, own]) => listing(`Machine code: ${labelOf(strategy)}`, own));
}

/** A fold with the functions beside each other. */
function listing(title, own) {
  const columns = own.map((each) => element("div", {}, element("b", {}, each.function), element("pre", {}, each.lines.join("\n"))));
  const scroll = element("div", { class: "scroll listing", tabindex: 0, role: "region", "aria-label": title }, ...columns);
  return element("details", { class: "inner" }, element("summary", {}, title), scroll);
}
