// @ts-check
// Tables that sort, and that can be copied. What a figure holds reaches the page as text, never as markup.

/** @typedef {{text: string, detail?: string, tone?: string, value?: number | null}} Cell */
/** @typedef {{label: string, strategy?: string, note?: string, cells: Cell[]}} Row */
/** @typedef {{title: string, command?: string, first?: string, level?: string,
 *   columns: {title: string, group?: string, words?: boolean}[], rows: Row[]}} Table */

/** Makes an element; `parts` are elements and texts. */
function element(/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes, ...parts) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...parts);
  return made;
}

/** A name that leads to all that is known of its strategy. */
function strategyLink(/** @type {string} */ strategy, /** @type {string} */ label) {
  const known = strategy && strategies().has(strategy);
  if (!known) return element("span", {}, label);
  const ours = isOurs(strategy) ? "ours" : "";
  return element("a", { href: address({ strategy }), class: ours, title: namesOf(strategy), "data-strategy": strategy }, label);
}

/** Draws `table` with only the rows that are `wanted`. */
function drawTable(/** @type {Table} */ table, wanted = (/** @type {Row} */ _) => true) {
  const shown = table.rows.filter(wanted);
  let order = { column: -2, down: false };
  const body = element("tbody", {});
  const sortButtons = [table.first ?? "strategy", ...table.columns.map((column) => column.title)].map((title, at) =>
    element("button", { type: "button", class: "sort", click: () => sort(at - 1) }, title),
  );
  const starts = (at) => at === 0 || table.columns[at].group !== table.columns[at - 1].group;
  const kinds = (at) => [table.columns[at].words && "words", starts(at) && "starts"].filter(Boolean).join(" ");
  const headings = sortButtons.map((button, at) =>
    element("th", { scope: "col", class: at ? kinds(at - 1) : "name" }, button),
  );
  const groups = [];
  table.columns.forEach((column, at) => {
    if (starts(at)) groups.push(element("th", { class: "group starts", colspan: 0, scope: "colgroup" }, column.group ?? ""));
    const last = groups[groups.length - 1];
    last.setAttribute("colspan", Number(last.getAttribute("colspan")) + 1);
  });
  const head = element("thead", {});
  if (table.columns.some((column) => column.group)) head.append(element("tr", {}, element("td", {}), ...groups));
  head.append(element("tr", {}, ...headings));

  function draw(/** @type {Row} */ row) {
    const name = element("th", { scope: "row" }, strategyLink(row.strategy ?? "", row.label));
    if (row.note)
      return element("tr", { class: "absent" }, name, element("td", { class: "words starts", colspan: table.columns.length }, row.note));
    const cells = row.cells.map((cell, at) => {
      const made = element("td", { class: kinds(at) }, element("span", { class: cell.tone ?? "" }, cell.text));
      if (cell.detail && !/^(.+)–\1$/.test(cell.detail)) made.append(" ", element("small", {}, cell.detail));
      return made;
    });
    return element("tr", {}, name, ...cells);
  }

  /** Sorts by a column: the smallest first, then the largest first, then as the table came. */
  function sort(/** @type {number} */ column) {
    if (order.column !== column) order = { column, down: false };
    else if (!order.down) order.down = true;
    else order = { column: -2, down: false };
    headings.forEach((heading, at) => {
      if (at - 1 === order.column) heading.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    body.replaceChildren(...sorted().map(draw));
  }

  function sorted() {
    if (order.column === -2) return shown;
    const key = (row) => (order.column < 0 ? row.label : (row.cells[order.column]?.value ?? row.cells[order.column]?.text));
    const there = (row) => order.column < 0 || (!row.note && (table.columns[order.column].words || Number.isFinite(key(row))));
    const compare = (a, b) => (typeof key(a) === "number" && typeof key(b) === "number" ? key(a) - key(b) : String(key(a)).localeCompare(String(key(b))));
    const sorted = shown.filter(there).sort((a, b) => (order.down ? compare(b, a) : compare(a, b)));
    return [...sorted, ...shown.filter((row) => !there(row))];
  }

  body.replaceChildren(...shown.map(draw));
  const copy = (name, write) =>
    element("button", { type: "button", class: "quiet", click: (event) => copyText(write(table, sorted()), event.currentTarget) }, name);
  const scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title }, element("table", {}, head, body));
  const foot = table.command ? [element("p", { class: "foot" }, "Measured by ", element("code", {}, table.command))] : [];
  const title = element(table.level ?? "h4", {}, table.title);
  const tools = element("div", { class: "tools" }, title, copy("Copy as CSV", csv), copy("as Markdown", markdown));
  return element("div", { class: "table" }, tools, scroll, ...foot);
}

function titles(/** @type {Table} */ table) {
  return [table.first ?? "strategy", ...table.columns.map((column) => [column.group, column.title].filter(Boolean).join(" "))];
}

function lines(/** @type {Table} */ table, /** @type {Row[]} */ rows, write) {
  return [titles(table), ...rows.map((row) => [row.label, ...(row.note ? [row.note] : row.cells.map(write))])];
}

/** What a column has beside its figures: the columns of a spreadsheet, each with what it makes of a cell. */
function besides(/** @type {Cell[]} */ cells) {
  const part = (end) => ({ detail = "" }) => (detail.match(/^([\d.,]+)–([\d.,]+)$/)?.[end] ?? "").replaceAll(",", "");
  const error = ({ detail = "" }) => (detail.match(/^± (.+)$/)?.[1] ?? "").replaceAll(",", "");
  const found = { low: part(1), high: part(2), tie: ({ text, detail }) => detail && (text.startsWith("≈") ? "yes" : "no"), "±": error };
  return Object.entries(found).filter(([name, make]) => name === "tie" ? cells.some(part(1)) : cells.some(make));
}

function csv(/** @type {Table} */ table, /** @type {Row[]} */ rows) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // A spreadsheet takes what begins with one of these for a formula.
  const safe = (text) => (/^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text);
  const beside = table.columns.map((_, at) => besides(table.rows.filter((row) => !row.note).map((row) => row.cells[at])));
  const whole = (cell, at) => [String(cell.value ?? (cell.text === "–" ? "" : cell.text)), ...beside[at].map(([, make]) => make(cell))];
  const [first, ...heads] = titles(table);
  const found = [
    [first, ...heads.flatMap((head, at) => [head, ...beside[at].map(([name]) => `${head} ${name}`)])],
    ...rows.map((row) => [row.label, ...(row.note ? [row.note] : row.cells.flatMap(whole))]),
  ];
  return found.map((line) => line.map((text) => quoted(safe(text))).join(",")).join("\n") + "\n";
}

function markdown(/** @type {Table} */ table, /** @type {Row[]} */ rows) {
  const escaped = (text) => text.replace(/[\\|<>&`*_[\]]/g, "\\$&").replaceAll("\n", " ");
  const [head, ...rest] = lines(table, rows, (cell) => [cell.text, cell.detail].filter(Boolean).join(" "));
  const ruler = ["---", ...table.columns.map((column) => (column.words ? "---" : "--:"))];
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head.map(escaped)), line(ruler), ...rest.map((cells) => line(cells.map(escaped)))].join("\n") + "\n";
}

/** Puts `text` on the clipboard and says so on `button`. */
async function copyText(/** @type {string} */ text, /** @type {HTMLElement} */ button) {
  const said = button.textContent;
  const wrote = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  button.textContent = wrote || copiedByHand(text) ? "Copied" : "Could not copy";
  setTimeout(() => (button.textContent = said), 1500);
}

/** For browsers that keep a page from a file away from the clipboard. */
function copiedByHand(/** @type {string} */ text) {
  const area = /** @type {HTMLTextAreaElement} */ (element("textarea", {}));
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
