// @ts-check
// The times and ratios of a result, a figure for each strategy at each point, for charts and overviews.

/** @typedef {{workload: string, compiler: string, state: string, series: string, x: number, strategy: string,
 *   ratio: number, low: number, high: number, tie: boolean}} Ratio  A state of "" is any. */
/** @typedef {{workload: string, compiler: string, state: string, series: string, x: number, strategy: string,
 *   time: number}} Time */

/** The ratios of each workload, with 1 for its reference; and the spread of the A/A control, by place. */
const ratios = once(async () => {
  const result = await packedResult();
  const { references } = await tables();
  const all = records(result.findings.ratios);
  const spreads = new Map();
  const found = [];
  for (const each of all.filter((each) => each.control)) {
    const spread = Math.max(each.high, 1 / each.low);
    spreads.set(placeOf(each), spread);
    if (each.strategy === references[each.workload]) found.push({ ...each, ratio: 1, low: 1 / spread, high: spread, tie: true });
  }
  found.push(...all.filter((each) => !each.control));
  for (const [workload, sizes] of Object.entries(sizesOf(result)))
    for (const { ratio, ...size } of ratiosTo(references[workload], sizes))
      found.push({ workload, state: "", x: 0, tie: false, ...size, ratio, low: ratio, high: ratio });
  return { byWorkload: Map.groupBy(found, (each) => each.workload), spreads };
});

/** The medians of the times of each workload over launches. */
const medians = once(async () => {
  const found = new Map();
  for (const { cell, points } of records((await packedResult()).launches)) {
    if (cell.control) continue;
    for (const { series, x, nanoseconds } of points) {
      const key = `${placeOf({ ...cell, series, x })}\n${cell.strategy}`;
      if (!found.has(key)) found.set(key, { ...cell, series, x, times: [] });
      found.get(key).times.push(nanoseconds);
    }
  }
  const times = [...found.values()].map(({ times, ...where }) => ({ ...where, time: median(times) }));
  return Map.groupBy(times, (each) => each.workload);
});

/** The memory of each workload over time. */
const timelines = once(async () => Map.groupBy(records((await packedResult()).timelines), (each) => each.workload));

/** The mean of the bytes that are present after each step. */
function meanResident({ moments }) {
  return moments.slice(1).reduce((sum, { resident }) => sum + resident, 0) / (moments.length - 1);
}

/** What is compared of the workloads that have no times: bytes, and of heap-or-stack instructions. */
function sizesOf(result) {
  const compilers = records(result.compilers).map(({ name }) => name);
  const resident = (each) => compilers.map((compiler) => ({ ...each, compiler, size: meanResident(each) })); // it is that of any
  return {
    ...Object.fromEntries(Map.groupBy(records(result.timelines).flatMap(resident), (each) => each.workload)),
    "data-size": records(result.data).map((each) => ({ ...each, series: "bytes of an object", size: each.altogether })),
    "code-size": records(result.code).map((each) => ({ ...each, series: "bytes of all operations", size: each.hot.bytes })),
    "heap-or-stack": records(result.calls).map((each) => ({ ...each, series: each.function, size: each.inclusive })),
  };
}

/** The sum of the sizes of each strategy, over that of the `reference`. */
function ratiosTo(/** @type {string} */ reference, sizes) {
  const sums = new Map();
  for (const { compiler, series, strategy, size } of sizes) {
    const key = [compiler, series, strategy].join("\n");
    sums.set(key, { compiler, series, strategy, size: size + (sums.get(key)?.size ?? 0) });
  }
  const to = (each) => sums.get([each.compiler, each.series, reference].join("\n"))?.size;
  return [...sums.values()].filter(to).map((each) => ({ ...each, ratio: each.size / to(each) }));
}

function placeOf({ workload, compiler, state, series, x }) {
  return [workload, compiler, state, series, x].join("\n");
}

function median(/** @type {number[]} */ values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A figure as the tables write it: three digits that say something, never powers of ten. */
function significant(/** @type {number} */ value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const places = Math.max(0, Math.min(digits, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** A ratio: two decimals, and at least two figures. */
function times(/** @type {number} */ ratio) {
  return ratio >= 0.1 && ratio < 10 ? ratio.toFixed(2) : significant(ratio, ratio < 1 ? 2 : 3);
}

/** Of `values`, smallest first, the one of the chosen rank: 0 is the smallest and `ranks` - 1 the largest. */
function ofRank(/** @type {number[]} */ values, /** @type {number} */ rank, /** @type {number} */ ranks) {
  return values[ranks < 2 ? values.length - 1 : Math.round((rank / (ranks - 1)) * (values.length - 1))];
}
