// @ts-check
// What an unfolded section shows: its charts and its tables, for what is chosen.

const DATA_SIZE = "data-size";
const LISTINGS = "heap-or-stack";
const WIDEST = 640;

/** Whether a row is among those that the toolbar asks for. */
function wantedBy(/** @type {Choice} */ chosen) {
  const words = chosen.find.toLowerCase();
  return (strategy, label) => {
    const family = strategies().get(strategy)?.family;
    const inFamily = !chosen.family || family === chosen.family || (chosen.family === "ours" && isOurs(strategy));
    return inFamily && `${label} ${strategy}`.toLowerCase().includes(words);
  };
}

/** Fills `place` with what is chosen of a section. */
async function drawSection(place, section, chosen, ranks) {
  const wanted = wantedBy(chosen);
  const sizes = [...new Set(section.tables.map((table) => table.x))].filter((x) => x).sort((a, b) => a - b);
  const x = ofRank(sizes, Number(chosen.size), ranks);
  const shown = section.tables.filter((table) =>
    (!table.compiler || table.compiler === chosen.compiler) &&
    (!table.state || table.state === chosen.state) && (!table.x || table.x === x));
  const parts = shown.map((table) => drawTable(table, (row) => wanted(row.strategy, row.label)));
  if (!parts.length) parts.push(element("p", {}, section.tables.length ? "Not measured for what is chosen above." : "Not measured in this run."));
  const charts = element("div", { class: "charts" });
  place.replaceChildren(charts, ...parts);
  if (section.workload === LISTINGS) place.append(...(await listings(chosen, wanted)));
  const made = await Promise.all(await chartsOf(section, chosen, ranks, wanted, place.clientWidth));
  if (charts.isConnected) charts.replaceChildren(...made.filter(Boolean));
}

/** The charts of a section, at most two beside each other. */
async function chartsOf(section, chosen, ranks, wanted, width) {
  const { references } = await tables();
  const { byWorkload, controls } = await figures();
  const reference = references[section.workload];
  const room = Math.max(320, Math.min(WIDEST, width < 2 * 480 ? width : (width - 40) / 2));
  if (section.workload === DATA_SIZE) {
    const sizes = records((await packedResult()).data).filter((each) => each.compiler === chosen.compiler && wanted(each.strategy, labelOf(each.strategy)));
    return sizes.length ? [drawSizes("Bytes for an object with one handle to it", sizes, room)] : [];
  }
  const found = (byWorkload.get(section.workload) ?? []).filter((each) =>
    each.compiler === chosen.compiler && each.state === chosen.state &&
    (wanted(each.strategy, labelOf(each.strategy)) || each.strategy === reference));
  const made = [];
  for (const [series, own] of Map.groupBy(found, (each) => each.series)) {
    const sizes = [...new Set(own.map((each) => each.x))].sort((a, b) => a - b);
    const x = ofRank(sizes, Number(chosen.size), ranks);
    const here = own.filter((each) => each.x === x && each.ratio !== undefined);
    const size = sizes.length > 1 || section.sizes[x] !== String(x) ? `, ${section.sizes[x]}` : "";
    if (here.length) made.push(drawRatios(`${series}${size}: time, as a multiple of ${labelOf(reference)}`, here, controls.get(placeOf(here[0])) ?? 1, reference, room));
    if (sizes.length > 1) made.push(drawScaling(`${series}: ${section.unit.words}, over ${section.axis}`, own, section.unit, room));
  }
  return made;
}

/** The machine code of the chosen compiler, a fold for each strategy. */
async function listings(chosen, wanted) {
  const all = records((await packedResult()).listings).filter((each) => each.compiler === chosen.compiler && wanted(each.strategy, labelOf(each.strategy)));
  return [...Map.groupBy(all, (each) => each.strategy)].map(([strategy, own]) => listing(`Machine code: ${labelOf(strategy)}`, own));
}

/** A fold with the functions beside each other. */
function listing(title, own) {
  const columns = own.map((each) => element("div", {}, element("h5", {}, each.function), element("pre", {}, each.lines.join("\n"))));
  const scroll = element("div", { class: "scroll listing", tabindex: 0, role: "region", "aria-label": title }, ...columns);
  return element("details", { class: "inner" }, element("summary", {}, title), scroll);
}
