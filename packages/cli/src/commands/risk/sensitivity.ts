import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { distancesChart } from "@dosimeter/plot/risk";
import {
  publicRecords,
  publishedBothSources,
  readDistances,
  readNumericColumns,
  repeatablePick,
  sampleDistances,
  sampledConfidence,
  sampledStatistic,
} from "@dosimeter/risk";
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { collect } from "../../flags/values.ts";
import { checkChartFile, writeChartFile } from "../../show/chart-file.ts";
import { say, sayFacts } from "../../terminal/output.ts";
import { paint, progressBar } from "../../terminal/terminal.ts";
import { epsilon0Range, numberFlag, sayRiskJson, saySentence, shown } from "./flags.ts";

interface SensitivityFlags {
  readonly provenance: string;
  readonly origin: string;
  readonly statistic: string;
  readonly column?: readonly string[];
  readonly size: string;
  readonly pairs: string;
  readonly risk: string;
  readonly accuracy: string;
  readonly failureProbability: string;
  readonly epsilon0: string;
  readonly epsilon?: string;
  readonly proved?: string;
  readonly seed: string;
  readonly plot?: string;
}

const between = { above: 0, below: 1 } as const;

/** `dosimeter risk sensitivity`: section 4 over a CSV that the user states is public or synthetic. */
export function defineSensitivity(command: Command, context: Context): void {
  command
    .command("sensitivity")
    .description("the sensitivity seen in pairs of public or synthetic records, and what it covers; never private rows")
    .argument("<csv>", "a file with names in its first line")
    .requiredOption("--provenance <word>", `"public" or "synthetic"; a private table is refused`)
    .requiredOption("--origin <words>", "where the records come from")
    .option("--statistic <name>", "sum, mean, variance, median or ridge (the last column on the others)", "mean")
    .option("--column <name>", "once per column, in order (default: the first)", collect)
    .option("--size <n>", "records in each of two neighbours", "100")
    .option("--pairs <n>", "pairs to draw", "1000")
    .option("--risk <share>", "share of pairs that may lie above", "0.05")
    .option("--accuracy <rho>", "half-width ρ of the band of equation (5)", "0.01")
    .option("--failure-probability <share>", "of the certified order statistic", "0.05")
    .option("--epsilon0 <epsilon>", "ε₀ of noise calibrated to the sampled sensitivity", "1")
    .option("--epsilon <epsilon>", "level of privacy at risk (default: half of ε₀)")
    .option("--proved <sensitivity>", "Δ where it is known: η of equation (6) is Δ over the sampled one")
    .option("--seed <n>", "makes the draw repeatable", "0")
    .option("--plot <file>", "write the distribution as .svg or .png")
    .action((file: string, flags: SensitivityFlags) => sample(context, file, flags));
}

/** The result of both sources of randomness, over the sampled pairs and by equations (6) and (7). Nothing where all pairs are equal. */
function bothSources(options: {
  readonly distances: readonly number[];
  readonly sensitivity: number;
  readonly epsilon: number;
  readonly epsilon0: number;
  readonly risk: number;
  readonly accuracy: number;
  readonly failureProbability: number;
  readonly proved?: number;
}) {
  const { distances, sensitivity, epsilon, epsilon0, risk, accuracy, failureProbability, proved } = options;
  if (sensitivity === 0) return {};
  const losses = distances.map((distance) => (epsilon0 * distance) / sensitivity);
  const ratio = proved === undefined ? Number.POSITIVE_INFINITY : proved / sensitivity;
  const setting = { epsilon, epsilon0, ratio, level: 1 - risk, samples: distances.length, accuracy };
  return { both: sampledConfidence({ losses, epsilon, failureProbability }), published: publishedBothSources(setting) };
}

function draw(terminal: Context["terminal"], asked: Parameters<typeof sampleDistances>[0]): readonly number[] {
  const { pairs } = asked;
  const tick = progressBar(terminal, "Sampling pairs", pairs);
  const distances: number[] = [];
  const step = Math.max(1, Math.floor(pairs / 100));
  for (const distance of sampleDistances(asked)) {
    distances.push(distance);
    if (distances.length % step === 0 || distances.length === pairs) tick(distances.length);
  }
  return distances;
}

async function sample(context: Context, file: string, flags: SensitivityFlags): Promise<void> {
  const { terminal, globals } = context;
  checkChartFile(flags.plot);
  const risk = numberFlag(flags.risk, "--risk", { min: 0, below: 1 });
  const accuracy = numberFlag(flags.accuracy, "--accuracy", between);
  const failureProbability = numberFlag(flags.failureProbability, "--failure-probability", between);
  const pairs = numberFlag(flags.pairs, "--pairs", { min: 1, max: 1_000_000, integer: true });
  const size = numberFlag(flags.size, "--size", { min: 1, max: 1_000_000, integer: true });
  const epsilon0 = numberFlag(flags.epsilon0, "--epsilon0", epsilon0Range);
  const epsilon = numberFlag(flags.epsilon ?? String(epsilon0 / 2), "--epsilon", { min: 0 });
  const pick = repeatablePick(numberFlag(flags.seed, "--seed", { min: 0, integer: true }));
  const statistic = sampledStatistic(flags.statistic);
  // Refused before the file is read, which may be private.
  publicRecords({ provenance: flags.provenance, origin: flags.origin, rows: [[0], [0]] });
  const text = await readFile(resolve(terminal.cwd, file), "utf8");
  const rows = readNumericColumns(text, flags.column ?? []);
  const records = publicRecords({ provenance: flags.provenance, origin: flags.origin, rows });

  const distances = draw(terminal, { records, statistic, size, pairs, pick });
  const read = readDistances({ distances, level: 1 - risk, accuracy, failureProbability });
  const { both, published } = bothSources({
    distances,
    sensitivity: read.sensitivity,
    epsilon,
    epsilon0,
    risk,
    accuracy,
    failureProbability,
    ...(flags.proved === undefined ? {} : { proved: numberFlag(flags.proved, "--proved", { min: read.sensitivity }) }),
  });
  await writeChartFile(flags.plot, terminal.cwd, (chartSize) =>
    distancesChart({ distances, level: 1 - risk, sensitivity: read.sensitivity }, chartSize),
  );
  if (globals().json) {
    return sayRiskJson(terminal, {
      statistic: flags.statistic,
      provenance: flags.provenance,
      origin: flags.origin,
      pairs,
      size,
      ...read,
      certified: read.certified ?? null,
      pairsNeeded: Number.isFinite(read.pairsNeeded) ? read.pairsNeeded : null,
      bothSources: both ?? null,
      equation6: published ?? null,
    });
  }
  sayFacts(terminal, [
    ["statistic", `${statistic.label} of ${size} records, ${records.provenance}: ${records.origin}`],
    ["sampled sensitivity", `${shown(read.sensitivity)} (order statistic ${read.orderStatistic} of ${pairs})`],
    ["largest seen", shown(read.largest)],
    ["covers a new pair", `with probability ${shown(read.marginal)} (${read.orderStatistic}/${pairs + 1})`],
    [
      `covers ${shown(1 - risk)} of pairs`,
      read.certified === undefined
        ? `too few pairs to say so with confidence ${shown(1 - failureProbability)}: at least ${shown(read.pairsNeeded)} are needed`
        : `from ${shown(read.certified.sensitivity)} on (order statistic ${read.certified.order}), confidence ${shown(1 - failureProbability)}`,
    ],
    ["equation (5), as published", `${shown(read.published)}, which is not a bound`],
    ["the same, corrected", shown(read.corrected)],
    [
      `P(|L| ≤ ${shown(epsilon)}), both sources`,
      both === undefined
        ? "every pair is alike"
        : `${shown(both.estimate)} ± ${shown(both.halfWidth)} at ε₀ ${shown(epsilon0)}`,
    ],
    [
      "equations (6) and (7), as published",
      published === undefined
        ? "every pair is alike"
        : `confidence ${shown(published.confidence)}, risk ${shown(published.risk)}, which is not a bound`,
    ],
  ]);
  say(
    terminal,
    `\n${paint(terminal, "bold", "Covers pairs drawn from these records only")}, drawn independently: not the outlier that differential privacy protects.`,
  );
  saySentence(context);
}
