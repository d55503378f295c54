// Rank errors of several quantiles of 1,000 values at ε = 1: the quoted one, and the mean largest one of many releases.
// Run: npx node --conditions=@dosimeter/source bench/quantiles.bench.ts [RUNS]
import { Exact, rational } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { atOnce } from "../packages/query/src/plan/steps.ts";
import { rankHalfWidth, selectQuantiles, targetsOf } from "../packages/query/src/statistics/choice/quantile.ts";
import { ranksHalfWidth } from "../packages/query/src/statistics/choice/read-off.ts";
import { shareOf } from "../packages/query/src/statistics/curve/cdf.ts";

const runs = Number(process.argv[2] ?? 60);
const LEAVES = 1000;
const random = seededRandom(52);
const below = (bound: number): number => Math.floor((random.uint32() / 2 ** 32) * bound);
const declaration = checkDeclaration({
  name: "bench",
  source: { csv: "bench.csv" },
  privacyUnit: "row",
  columns: { value: { type: "integer", lower: 0, upper: LEAVES - 1 } },
});

const counted = (rows: number, value: () => number): readonly bigint[] => {
  const counts = new Array<bigint>(LEAVES).fill(0n);
  for (let row = 0; row < rows; row++) {
    const at = value();
    counts[at] = (counts[at] ?? 0n) + 1n;
  }
  return counts;
};
const TABLES = {
  "10,000 rows, evenly": counted(10_000, () => below(LEAVES)),
  "10,000 rows, 70 % at 40 values": counted(10_000, () =>
    below(10) < 7 ? 25 * ((below(40) + below(40)) >> 1) : below(LEAVES),
  ),
  "1,000,000 rows, 70 % at 40 values": counted(1_000_000, () =>
    below(10) < 7 ? 25 * ((below(40) + below(40)) >> 1) : below(LEAVES),
  ),
};

console.log(`| ε 1, 1,000 values, ${runs} runs | shares | all among all rows | as released | read off a cdf |`);
console.log("|---|---|---|---|---|");
for (const [name, counts] of Object.entries(TABLES)) {
  let sum = 0;
  const upTo = counts.map((here) => (sum += Number(here)));
  for (const m of [3, 9, 19, 99]) {
    const shares = Array.from({ length: m }, (_, at) => Number(((at + 1) / (m + 1)).toFixed(4)));
    const off = (leaves: readonly number[]): number =>
      Math.max(
        ...leaves.map((leaf, at) => {
          const rank = (shares[at] ?? 0) * sum;
          return Math.max(0, (upTo[leaf - 1] ?? 0) - rank, rank - (upTo[leaf] ?? 0));
        }),
      );
    const mean = (release: () => readonly number[]): string => {
      let total = 0;
      for (let run = 0; run < runs; run++) total += off(release());
      return (total / runs).toFixed(1);
    };
    const selection = { ...targetsOf(shares, "shares"), leaves: LEAVES, ticksPerLeaf: 1n, extreme: false };
    const ofPlan = (statistic: "quantiles" | "cdf") =>
      boundPlan(
        {
          statistics: [
            {
              statistic,
              column: "value",
              epsilon: 1,
              ...(statistic === "cdf" ? { bins: LEAVES } : { quantiles: shares }),
            },
          ],
        },
        declaration,
      );
    const release = (plan: ReturnType<typeof ofPlan>) => addNoise(plan, new Exact([counts]), random)[0];
    const [quantiles, cdf] = [ofPlan("quantiles"), ofPlan("cdf")];
    const before = mean(() => atOnce(selectQuantiles(counts, selection, rational(1n), random)).map(Number));
    const after = mean(() => (release(quantiles)?.cells ?? []).map(({ noisy }) => Number(noisy[0])));
    const tree = mean(() => {
      const answer = release(cdf);
      const steps = (answer?.cells ?? []).map(({ bin, value }) =>
        bin !== undefined && "lower" in bin ? { start: bin.lower, end: bin.upper, value } : { start: 0, end: 0, value },
      );
      return shares.map((share) => shareOf({ steps, off: 0, isMarked: false }, share).value);
    });
    const [old, now] = [rankHalfWidth(selection, 1, 0.05), ranksHalfWidth(selection, 1, 0.05)];
    console.log(`| ${name} | ${m} | ± ${old}, ${before} | ± ${now}, ${after} | ${tree} |`);
  }
}
