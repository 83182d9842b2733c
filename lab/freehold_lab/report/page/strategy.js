// @ts-check
// All that is known of one strategy.

const LISTS = {
  ratios: "Ratios", lines: "Fitted lines", counts: "Counts", peaks: "Memory", data: "Data size",
  code: "Code size", calls: "Calls", listings: "Machine code", identities: "Library", launches: "Every launch",
};

/** Makes one record of nested ones, or several of one that holds a list of them. */
function flat(record) {
  const { cell, points, strategy: _, ...rest } = record;
  if (!points) return [rest];
  const { strategy: __, ...where } = cell;
  return points.map((point) => ({ ...rest, ...where, ...point }));
}

/** The records of a list as a table, a column for each field. */
function tableOf(/** @type {string} */ title, /** @type {any[]} */ list) {
  const flatter = list.flatMap(flat);
  const [first, ...names] = Object.keys(flatter[0] ?? {});
  const text = (value) => {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.join("\n");
    return typeof value === "object" ? Object.entries(value).map(([name, part]) => `${part} ${name}`).join(", ") : String(value);
  };
  const words = (name) => flatter.some((record) => typeof record[name] === "string" || Array.isArray(record[name]));
  return {
    title, first,
    columns: names.map((name) => ({ title: name.replaceAll("_", " "), words: words(name) })),
    rows: flatter.map((record) => ({
      label: text(record[first]),
      cells: names.map((name) => ({ text: text(record[name]), value: typeof record[name] === "number" ? record[name] : null })),
    })),
  };
}

/** Fills `place` with the view of the strategy of that name. */
async function drawStrategy(/** @type {Element} */ place, /** @type {string} */ name) {
  const known = strategies().get(name);
  const back = element("a", { href: address({ strategy: "" }), class: "back" }, "← All strategies");
  if (!known) {
    place.replaceChildren(back, element("h2", { tabindex: -1 }, `There is no strategy ${name} in this result`));
    return;
  }
  const own = (await byStrategy()).get(name) ?? {};
  const about = [
    ["Name in the laboratory", name],
    ["Family", known.family],
    ["Library", [...new Set((own.identities ?? []).map((each) => each.library))].join(", ")],
    ["Compilers", known.compilers.length ? known.compilers.join(", ") : "all"],
    ["State", known.note ? `${known.status}: ${known.note}` : known.status],
    ["Takes part in", known.workloads.join(", ")],
  ].filter(([, text]) => text);
  const facts = element("dl", { class: "facts" }, ...about.map(([term, text]) => element("div", {}, element("dt", {}, term), element("dd", {}, text))));
  const folds = Object.keys(LISTS).filter((list) => own[list]).map((list) => {
    const fold = element("details", { class: "inner", "data-list": list, open: list === "ratios" || list === "data" });
    fold.append(element("summary", {}, `${LISTS[list]} `, element("small", {}, String(own[list].flatMap(flat).length))));
    const fill = once(() => fold.append(list === "listings" ? listingsOf(own[list]) : drawTable(tableOf(LISTS[list], own[list]))));
    if (fold.hasAttribute("open")) fill();
    fold.addEventListener("toggle", () => /** @type {HTMLDetailsElement} */ (fold).open && fill());
    return fold;
  });
  place.replaceChildren(back, element("h2", { tabindex: -1, class: isOurs(name) ? "ours" : "" }, known.label), facts, ...needsOf(name), ...folds);
}

/** The machine code and its sizes, a fold for each compiler. */
function listingsOf(list) {
  const made = element("div", {});
  for (const [compiler, own] of Map.groupBy(list, (each) => each.compiler)) made.append(listing(compiler, own));
  made.append(drawTable(tableOf("Sizes", list.map(({ lines: _, ...rest }) => rest))));
  return made;
}

/** The rows of the table of needs that answer with this strategy. */
function needsOf(/** @type {string} */ name) {
  return [];
}
