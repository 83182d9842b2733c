// @ts-check
// What is chosen, kept in the address: a link shows another reader the same, and back leads back.

/** @typedef {{compiler: string, state: string, size: string, family: string, find: string, strategy: string,
 *   series: string, open: string}} Choice */

const toolbar = /** @type {HTMLFormElement} */ (document.getElementById("toolbar"));
const SWITCHES = ["compiler", "state", "size", "family", "find"];
/** What is chosen where the address does not say. @type {Choice} */
const defaults = { ...controls(), strategy: "", series: "", open: "" };

function controls() {
  return /** @type {any} */ (Object.fromEntries(SWITCHES.map((name) => [name, toolbar.elements[name].value])));
}

/** What the address says; what it says wrongly is as if it said nothing. @returns {Choice} */
function choice() {
  const hash = location.hash.slice(1);
  if (document.getElementById(hash)?.matches("details")) return { ...defaults, open: hash };
  const said = Object.fromEntries(new URLSearchParams(hash));
  const found = { ...defaults };
  for (const name in defaults) if (name in said && possible(name, said[name])) found[name] = said[name];
  return found;
}

function possible(/** @type {string} */ name, /** @type {string} */ value) {
  const options = toolbar.elements[name]?.options;
  return !options || [...options].some((option) => option.value === value);
}

function address(/** @type {Partial<Choice>} */ changes) {
  const all = { ...choice(), ...changes };
  const said = new URLSearchParams();
  for (const name in defaults) if (all[name] !== defaults[name]) said.set(name, all[name]);
  return `#${said}`;
}

/** Changes what is chosen; a change that `replaces` leaves no step to go back to. */
function choose(/** @type {Partial<Choice>} */ changes, replaces = false) {
  const to = address(changes);
  if (to === (location.hash || "#")) return;
  if (!replaces) keepScroll();
  history[replaces ? "replaceState" : "pushState"](replaces ? history.state : null, "", to);
  dispatchEvent(new Event("choice"));
}

/** Remembers how far down the page is, for whoever comes back to it. */
function keepScroll() {
  history.replaceState({ scroll: scrollY }, "");
}

history.scrollRestoration = "manual"; // what is scrolled to is not there before it is drawn
addEventListener("pagehide", keepScroll);
addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("a[href^='#']") && keepScroll(), { capture: true });

/** Shows in the toolbar what the address says. */
function showChoice() {
  const chosen = choice();
  for (const name of SWITCHES) toolbar.elements[name].value = chosen[name];
}

/** The chosen size as its switch says it. */
function sizeName() {
  const sizes = toolbar.elements["size"];
  return sizes.options.length > 1 ? sizes.selectedOptions[0].text : "only";
}

let typing = 0;
addEventListener("input", (event) => {
  const { name, form } = /** @type {HTMLInputElement} */ (event.target);
  if (form !== toolbar) return;
  const change = () => choose({ [name]: toolbar.elements[name].value }, name === "find");
  clearTimeout(typing);
  if (name === "find") typing = setTimeout(change, 200);
  else change();
});
toolbar.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", () => dispatchEvent(new Event("choice")));
