// @ts-check
// Reads what packing.py wrote into the page: compressed columns.

/** The text that a script element of the page holds compressed. */
async function unpacked(/** @type {string} */ id) {
  const letters = /** @type {HTMLElement} */ (document.getElementById(id)).textContent ?? "";
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** The value that `packed` stands for. */
function records(/** @type {any} */ packed) {
  if (packed === null || typeof packed !== "object") return packed;
  if (Array.isArray(packed)) return packed.map(records);
  if ("=" in packed) return Object.fromEntries(packed["="].map(([name, value]) => [name, records(value)]));
  if ("$" in packed) return packed.c.map((number) => packed.$[number]);
  if ("@" in packed) {
    const all = records(packed.c);
    let end = 0;
    return packed["@"].map((length) => all.slice(end, (end += length)));
  }
  if ("#" in packed) {
    const columns = packed.c.map(records);
    return columns[0].map((_, row) => Object.fromEntries(packed["#"].map((name, at) => [name, columns[at][row]])));
  }
  return Object.fromEntries(Object.entries(packed).map(([name, value]) => [name, records(value)]));
}

/** Calls `make` once, the first time that its result is asked for. */
function once(make) {
  let made, done = false;
  return () => {
    if (!done) made = make();
    done = true;
    return made;
  };
}

const packedResult = once(async () => JSON.parse(await unpacked("result")));
const tables = once(async () => records(JSON.parse(await unpacked("tables"))));

/** Lists of the result, such as "launches", by their strategy. */
const byStrategy = once(async () => {
  const found = new Map();
  const result = await packedResult();
  const lists = { ...result, ...result.findings };
  for (const [name, packed] of Object.entries(lists)) {
    const list = records(packed);
    if (!Array.isArray(list)) continue;
    for (const record of list) {
      const strategy = record.strategy ?? record.cell?.strategy;
      if (strategy === undefined) continue;
      if (!found.has(strategy)) found.set(strategy, {});
      (found.get(strategy)[name] ??= []).push(record);
    }
  }
  return found;
});

/** Lets the reader save the result as the file that it was. */
async function saveResult() {
  const text = JSON.stringify(records(await packedResult()));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "freehold-result.json";
  link.click();
  URL.revokeObjectURL(link.href);
}
