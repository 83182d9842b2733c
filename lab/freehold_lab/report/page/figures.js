// @ts-check
// The times and ratios of a result, a figure for each strategy at each point, for charts and overviews.

/** @typedef {{workload: string, compiler: string, state: string, series: string, x: number, strategy: string,
 *   time: number | undefined, ratio: number | undefined, low: number | undefined, high: number | undefined,
 *   tie: boolean}} Figure */

/** All figures, by workload; and the A/A controls, by place. */
const figures = once(async () => {
  const result = await packedResult();
  const found = new Map();
  const controls = new Map();
  const at = (place, strategy) => {
    const key = [placeOf(place), strategy].join("\n");
    if (!found.has(key)) {
      const { workload, compiler, state, series, x } = place;
      found.set(key, { workload, compiler, state, series, x, strategy, times: [], tie: false });
    }
    return found.get(key);
  };
  for (const { cell, points } of records(result.launches)) {
    if (cell.control) continue;
    for (const { series, x, nanoseconds } of points) at({ ...cell, series, x }, cell.strategy).times.push(nanoseconds);
  }
  for (const ratio of records(result.findings.ratios)) {
    if (ratio.control) controls.set(placeOf(ratio), Math.max(ratio.high, 1 / ratio.low));
    else Object.assign(at(ratio, ratio.strategy), { ratio: ratio.ratio, low: ratio.low, high: ratio.high, tie: ratio.tie });
  }
  const { references } = await tables();
  for (const [workload, sizes] of Object.entries(sizesOf(result)))
    for (const size of ratiosTo(references[workload], sizes)) at({ workload, state: "", series: "", x: 0, ...size }, size.strategy).ratio = size.ratio;
  const byWorkload = new Map();
  for (const figure of found.values()) {
    figure.time = median(figure.times);
    delete figure.times;
    if (!figure.state) Object.assign(figure, { low: figure.ratio, high: figure.ratio });
    if (figure.strategy === references[figure.workload] && figure.ratio === undefined) {
      const spread = controls.get(placeOf(figure)) ?? 1;
      Object.assign(figure, { ratio: 1, low: 1 / spread, high: spread, tie: true });
    }
    if (!byWorkload.has(figure.workload)) byWorkload.set(figure.workload, []);
    byWorkload.get(figure.workload).push(figure);
  }
  return { byWorkload, controls };
});

/** What is compared of the workloads that have no times: bytes, and of heap-or-stack instructions. */
function sizesOf(result) {
  return {
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
  if (!values.length) return undefined;
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
