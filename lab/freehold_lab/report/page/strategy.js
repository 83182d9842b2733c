// @ts-check
// All that is known of one strategy.

const LISTS = {
  ratios: "Ratios", lines: "Fitted lines", counts: "Counts", peaks: "Memory", timelines: "Memory over time", data: "Data size",
  code: "Code size", calls: "Calls", listings: "Machine code", identities: "Libraries", launches: "Every launch",
};

/** Makes one record of nested ones, or several of one that holds a list of them. */
function flat(record) {
  const { cell, points, moments, strategy: _, ...rest } = record;
  if (moments) return moments.map((moment) => ({ ...rest, ...moment }));
  if (!points) return [rest];
  const { strategy: __, ...where } = cell;
  return points.map((point) => ({ ...where, ...point, ...rest }));
}

/** The records of a list as a table, a column for each field. */
function tableOf(/** @type {string} */ title, /** @type {any[]} */ list, states) {
  const flatter = list.flatMap(flat);
  const [first, ...names] = Object.keys(flatter[0] ?? {});
  const text = (value, name = "") => {
    if (name === "state") return states[value] ?? value;
    if (typeof value === "number") return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.join("\n");
    return typeof value === "object" ? Object.entries(value).map(([name, part]) => `${part} ${name}`).join(", ") : String(value);
  };
  const isFigure = (name) => flatter.every((record) => record[name] === null || typeof record[name] === "number");
  return {
    title, first,
    columns: names.map((name) => ({ title: name.replaceAll("_", " "), words: !isFigure(name) })),
    rows: flatter.map((record) => ({
      label: text(record[first], first),
      cells: names.map((name) => ({ text: text(record[name], name), value: typeof record[name] === "number" ? record[name] : null })),
    })),
  };
}

/** Fills `place` with the view of the strategy of that name. */
async function drawStrategy(/** @type {Element} */ place, /** @type {Choice} */ chosen) {
  const name = chosen.strategy;
  const known = strategies().get(name);
  const { states } = await tables();
  const back = element("a", { href: address({ strategy: "" }), class: "back" }, "← All strategies");
  const own = (await byStrategy()).get(name) ?? {};
  const folds = Object.keys(LISTS).filter((list) => own[list]).map((list) => {
    const fold = element("details", { class: "inner", "data-list": list });
    fold.append(element("summary", {}, `${LISTS[list]} `, element("small", {}, String(own[list].flatMap(flat).length))));
    const fill = once(() => fold.append(list === "listings" ? listingsOf(own[list], states) : drawTable(tableOf(LISTS[list], own[list], states))));
    fold.addEventListener("toggle", () => /** @type {HTMLDetailsElement} */ (fold).open && fill());
    return fold;
  });
  const heading = element("h2", { tabindex: -1, class: isOurs(name) ? "ours" : "" }, namesOf(name));
  const chart = element("div", { class: "charts" });
  place.replaceChildren(back, heading, await facts(known, own), chart, element("h3", {}, "All figures"), ...folds);
  const drawn = await profile(chosen, place.clientWidth);
  if (drawn && chart.isConnected) chart.replaceChildren(drawn);
}

/** What a strategy is, and what it is for. */
async function facts(known, own) {
  const { uses, units } = await tables();
  const use = Object.hasOwn(uses, known.name) ? uses[known.name] : { needs: [] };
  const needs = use.needs.map(({ title, restrictions }) =>
    element("div", {}, title, " ", element("small", {}, restrictions.length ? `if ${restrictions.join(", ")}` : "")));
  const about = [
    ["Library", [...new Set((own.identities ?? []).map((each) => each.library))].join(", ")],
    ["Family", known.family],
    ["Name in the laboratory", known.name],
    ["Compilers", known.compilers.join(", ")],
    ["Not measured", known.status === "measured" ? "" : known.note || known.status],
    ["Takes part in", known.workloads.map((workload) => units[workload] ?? workload).join(", ")],
    ["Write", use.write && element("code", {}, use.write)],
    ["Page", use.page && element("span", {}, element("code", {}, `docs/${use.page}`), " in Freehold’s folder; ./freehold docs makes a site of it")],
    ["Candidate for", needs.length && element("div", {}, ...needs)],
  ];
  const rows = about.filter(([, text]) => text).map(([term, text]) => element("div", {}, element("dt", {}, term), element("dd", {}, text)));
  return element("dl", { class: "facts" }, ...rows);
}

/** The ratios of a strategy in all workloads, at the chosen size. */
async function profile(/** @type {Choice} */ chosen, /** @type {number} */ width) {
  const { sections, references } = await tables();
  const { byWorkload } = await ratios();
  const rows = [];
  for (const section of sections) {
    if (references[section.workload] === chosen.strategy) continue;
    const own = (byWorkload.get(section.workload) ?? []).filter((each) => each.strategy === chosen.strategy && each.compiler === chosen.compiler && (!each.state || each.state === chosen.state));
    for (const [series, at] of Map.groupBy(own, (each) => each.series)) {
      const x = ofRank(ascending(at.map((each) => each.x)), Number(chosen.size), ranks);
      const figure = at.find((each) => each.x === x);
      rows.push({
        ...figure, full: section.title, strategy: `${section.workload} ${series}`, label: `${sentence(section.title.replace(/ \(.*/, ""), series)} ÷ ${labelOf(references[section.workload])}`, href: `#${section.workload}`,
        ours: false, color: figure.tie ? "var(--peer)" : figure.ratio < 1 ? "var(--accent)" : "var(--warn)",
      });
    }
  }
  if (!rows.length) return null;
  const caption = `Everywhere, with ${chosen.compiler}, at the ${sizeName()} size: each divided by the reference after ÷, so 1 is as much`;
  return drawRows(caption, rows, undefined, 1, Math.min(940, width));
}

/** The machine code and its sizes, a fold for each compiler. */
function listingsOf(list, states) {
  const made = element("div", {});
  for (const [compiler, own] of Map.groupBy(list, (each) => each.compiler)) made.append(listing(compiler, own));
  made.append(drawTable(tableOf("Sizes", list.map(({ lines: _, ...rest }) => rest), states)));
  return made;
}
