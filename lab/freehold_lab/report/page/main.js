// @ts-check
// Puts the page together, and again whenever another choice is made.

let known = new Map();
let families = { ours: [], floor: [] };
const strategies = () => known;
let uses = {};
const labelOf = (/** @type {string} */ name) => known.get(name)?.label ?? name;
/** The name in tables, and that which users know. */
const namesOf = (/** @type {string} */ name) => [...new Set([labelOf(name), Object.hasOwn(uses, name) ? uses[name].name : labelOf(name)])].join(" · ");
const isOurs = (/** @type {string} */ name) => families.ours.includes(known.get(name)?.family);
const isFloor = (/** @type {string} */ name) => families.floor.includes(known.get(name)?.family);

const report = /** @type {HTMLElement} */ (document.getElementById("report"));
const view = /** @type {HTMLElement} */ (document.getElementById("strategy"));
const ranks = /** @type {HTMLSelectElement} */ (toolbar.elements["size"]).options.length;
const folds = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details.workload")]);
const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
let shownStrategy = "";

async function show() {
  const chosen = choice();
  const isUnknown = chosen.strategy !== "" && !strategies().has(chosen.strategy);
  notice.hidden = !isUnknown;
  notice.textContent = `There is no strategy called ${chosen.strategy} in this result.`;
  if (isUnknown) chosen.strategy = "";
  showChoice();
  for (const table of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".choice")))
    table.hidden = table.dataset.compiler !== chosen.compiler || table.dataset.state !== chosen.state;
  for (const link of document.querySelectorAll("a[data-strategy]"))
    link.setAttribute("href", address({ strategy: link.getAttribute("data-strategy") ?? "" }));
  report.hidden = Boolean(chosen.strategy);
  view.hidden = !chosen.strategy;
  if (chosen.strategy) {
    await drawStrategy(view, chosen);
    if (shownStrategy !== chosen.strategy) {
      scrollTo(0, 0);
      view.querySelector("h2")?.focus({ preventScroll: true });
    }
  }
  shownStrategy = chosen.strategy;
  if (chosen.strategy) return;
  const { sections, references } = await tables();
  const { byWorkload } = await ratios();
  const open = chosen.open.split(",");
  const drawing = [];
  for (const fold of folds) {
    const section = sections.find((each) => each.workload === fold.id);
    drawOverview(/** @type {Element} */ (fold.querySelector(".line")), section, byWorkload.get(fold.id) ?? [], chosen, ranks, references[fold.id]);
    fold.open = open.includes(fold.id);
    if (fold.open) drawing.push(drawFold(fold, section, chosen));
  }
  await Promise.all(drawing);
}

/** Draws what an open section holds, if that is not there yet. */
function drawFold(/** @type {HTMLDetailsElement} */ fold, section, /** @type {Choice} */ chosen) {
  const { open: _, ...rest } = chosen;
  const wanted = JSON.stringify(rest);
  if (fold.dataset.shows === wanted) return undefined;
  fold.dataset.shows = wanted;
  return drawSection(fold.querySelector(".content"), section, chosen, ranks, () => fold.dataset.shows !== wanted);
}

function remember() {
  const open = folds.filter((fold) => fold.open).map((fold) => fold.id).join(",");
  if (open !== choice().open) choose({ open }, true);
}

/** Shows all candidates for a need below it, or hides them. */
async function unfold(/** @type {HTMLElement} */ button) {
  const shown = button.getAttribute("aria-expanded") !== "true";
  const place = /** @type {HTMLElement} */ (document.getElementById(button.getAttribute("aria-controls") ?? ""));
  const [number, row] = (button.dataset.candidates ?? "").split(" ").map(Number);
  if (!place.querySelector(".table")) {
    place.append(drawTable({ ...(await tables()).candidates[number][row], level: "h3" }));
  }
  button.setAttribute("aria-expanded", String(shown));
  /** @type {HTMLElement} */ (place.parentElement).hidden = !shown;
}

/** Shows what is chosen, and then says so to whoever waits for it. */
async function draw() {
  const address = location.hash;
  const scroll = history.state?.scroll;
  delete document.documentElement.dataset.shows;
  await show();
  if (address === location.hash && scroll !== undefined) scrollTo({ top: scroll, behavior: "instant" });
  if (address === location.hash) document.documentElement.dataset.shows = address;
}

/** Opens the section that a link names, with all else as it is chosen. */
async function lead(/** @type {Event} */ event) {
  event.preventDefault();
  const open = /** @type {HTMLElement} */ (event.currentTarget).dataset.open ?? "";
  keepScroll();
  history.pushState(null, "", address({ open }));
  await draw();
  document.getElementById(open)?.scrollIntoView();
}

let wide = innerWidth;
let resizing = 0;

/** Draws charts as wide as there is room now, when the window has rested. */
function redraw() {
  clearTimeout(resizing);
  if (wide !== innerWidth)
    resizing = setTimeout(() => {
      wide = innerWidth;
      for (const fold of folds) delete fold.dataset.shows;
      draw();
    }, 200);
}

async function start() {
  for (const place of document.querySelectorAll(".scale")) drawScale(place);
  for (const fold of folds) nameDots(fold);
  for (const button of document.querySelectorAll("button[data-copy]"))
    button.addEventListener("click", () => copyText(button.getAttribute("data-copy") ?? "", /** @type {HTMLElement} */ (button)));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button.more")))
    button.addEventListener("click", () => unfold(button));
  for (const link of document.querySelectorAll("a[data-open]")) link.addEventListener("click", lead);
  document.getElementById("save")?.addEventListener("click", saveResult);
  const result = await packedResult();
  ({ families, uses } = await tables());
  known = new Map(records(result.strategies).map((strategy) => [strategy.name, strategy]));
  addEventListener("choice", draw);
  addEventListener("resize", redraw);
  await draw();
  for (const fold of folds) fold.addEventListener("toggle", remember);
}

start();
