import { compositionChart, lossChart, replicationChart, riskChart } from "@dosimeter/plot/risk";
import {
  attackAccuracy,
  composedFacts,
  compositionRow,
  dominationThreshold,
  GENERIC_DOMINATION_THRESHOLD,
  jointLoss,
  laplaceLoss,
  publishedModel,
  spreadCounts,
} from "@dosimeter/risk";
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { checkChartFile, writeChartFile } from "../../show/chart-file.ts";
import { say, sayTable } from "../../terminal/output.ts";
import { paint, progressBar } from "../../terminal/terminal.ts";
import { defineBudget } from "./budget.ts";
import { dimensionRange, epsilon0Range, listFlag, numberFlag, sayRiskJson, saySentence, shown } from "./flags.ts";
import { defineSensitivity } from "./sensitivity.ts";

const PARTS = [0.1, 0.25, 0.5, 0.75, 0.9, 1];

interface CurveFlags {
  readonly epsilon0: string;
  readonly k: string;
  readonly epsilon?: string;
  readonly risk?: string;
  readonly even?: true;
  readonly plot?: string;
}

/** `dosimeter risk curve`: figures 1 and 2, with the exact loss on the same levels. */
function defineCurve(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("curve")
    .description("what an ε means: confidence and risk as published, and the true loss at the same level")
    .option("--epsilon0 <list>", "ε₀, which the noise is calibrated to and which is charged", "1")
    .option("--k <list>", "dimensions of the output", "1")
    .option("--epsilon <list>", "levels (default: parts of each ε₀)")
    .option("--risk <list>", "find the levels at these risks instead")
    .option("--even", "neighbours whose difference is split evenly over the k coordinates (default: one carries all)")
    .option("--plot <file>", "write the curves as .svg or .png")
    .action(async (flags: CurveFlags) => {
      checkChartFile(flags.plot);
      const settings = listFlag(flags.epsilon0, "--epsilon0", epsilon0Range).flatMap((epsilon0) =>
        listFlag(flags.k, "--k", dimensionRange).map((k) => ({ epsilon0, k })),
      );
      const rows = settings.flatMap((setting) => rowsOf(setting, flags));
      await writeChartFile(flags.plot, terminal.cwd, (size) => {
        const [first] = settings;
        return settings.length === 1 && first !== undefined
          ? lossChart({ noise: { kind: "laplace", ...first, split: flags.even ? "even" : "one" } }, size)
          : riskChart({ settings, exact: flags.even ? "even" : true }, size);
      });
      const notes = settings.flatMap(noteOf);
      if (globals().json) return sayRiskJson(terminal, { rows, notes });
      await sayTable(terminal, rows, [
        { heading: "ε₀", cell: ({ epsilon0 }) => shown(epsilon0), right: true },
        { heading: "k", cell: ({ k }) => String(k), right: true },
        { heading: "level ε", cell: ({ epsilon }) => shown(epsilon), right: true },
        { heading: "published confidence", cell: ({ confidence }) => shown(confidence), right: true },
        { heading: "published risk", cell: ({ risk }) => shown(risk), right: true },
        { heading: "true P(|L| ≤ ε)", cell: ({ within }) => shown(within), right: true },
        { heading: "true P(L > ε)", cell: ({ tail }) => shown(tail), right: true },
        { heading: "exact δ(ε)", cell: ({ delta }) => shown(delta), right: true },
        { heading: "best guess right", cell: (row) => shown(row.attackAccuracy), right: true },
      ]);
      say(
        terminal,
        `\nTrue: continuous Laplace noise, worst pair${flags.even ? " among those that differ evenly in every coordinate" : ", one coordinate carries all of Δ"}, replace-one. For counts with discrete noise: not informative, the loss is ±ε₀ with certainty.`,
      );
      for (const note of notes) say(terminal, paint(terminal, "red", note));
      saySentence(context);
    });
}

function rowsOf({ epsilon0, k }: { readonly epsilon0: number; readonly k: number }, flags: CurveFlags) {
  const model = publishedModel({ epsilon0, k });
  const levels =
    flags.risk !== undefined
      ? listFlag(flags.risk, "--risk", { min: 0, max: 1 }).map((risk) => model.epsilonForRisk(risk))
      : flags.epsilon !== undefined
        ? listFlag(flags.epsilon, "--epsilon", { min: 0 })
        : PARTS.map((part) => part * epsilon0);
  const joint = flags.even && k > 1 ? jointLoss({ levels: Array.from({ length: k }, () => epsilon0 / k) }) : undefined;
  return levels.map((epsilon) => ({
    epsilon0,
    k,
    epsilon,
    confidence: model.confidence(epsilon),
    risk: model.risk(epsilon),
    ...(joint === undefined ? laplaceLoss({ epsilon0, epsilon }) : composedFacts(joint, epsilon)),
    attackAccuracy: attackAccuracy(epsilon0),
  }));
}

function noteOf({ epsilon0, k }: { readonly epsilon0: number; readonly k: number }): readonly string[] {
  const laplace = dominationThreshold(k);
  if (epsilon0 > laplace)
    return [
      `ε₀ ${shown(epsilon0)} is above ${shown(laplace)}: the published risk is not a valid δ near ε₀ (k = ${k}).`,
    ];
  if (epsilon0 > GENERIC_DOMINATION_THRESHOLD) {
    return [
      `ε₀ ${shown(epsilon0)} is above ${shown(GENERIC_DOMINATION_THRESHOLD)}: for mechanisms other than continuous Laplace noise the published risk is not a valid δ.`,
    ];
  }
  return [];
}

interface ComposeFlags {
  readonly epsilon0: string;
  readonly count: string;
  readonly delta: string;
  readonly points: string;
  readonly published?: true;
  readonly plot?: string;
}

/** `dosimeter risk compose`: figures 9 to 11, the total that holds first. */
function defineCompose(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("compose")
    .description("the total ε of many Laplace releases: what holds, and theorem 3.1 as published")
    .option("--epsilon0 <epsilon>", "ε₀ of each release", "0.5")
    .option("--count <n>", "how many releases", "100")
    .option("--delta <delta>", "δ of the total", "1e-5")
    .option("--points <n>", "rows between 1 and the count", "5")
    .option("--published", "draw the figure as published instead of what holds")
    .option("--plot <file>", "write the lines as .svg or .png")
    .action(async (flags: ComposeFlags) => {
      checkChartFile(flags.plot);
      const epsilon0 = numberFlag(flags.epsilon0, "--epsilon0", epsilon0Range);
      const count = numberFlag(flags.count, "--count", { min: 1, max: 100_000, integer: true });
      const delta = numberFlag(flags.delta, "--delta", { min: 1e-12, below: 1 });
      const counts = spreadCounts(count, numberFlag(flags.points, "--points", { min: 1, max: 1000, integer: true }));
      const tick = progressBar(terminal, "Composing", counts.length);
      const rows = counts.map((n, i) => {
        const row = compositionRow({ epsilon0, count: n, delta });
        tick(i + 1);
        return row;
      });
      await writeChartFile(flags.plot, terminal.cwd, (size) =>
        (flags.published ? replicationChart : compositionChart)({ epsilon0, delta, rows }, size),
      );
      if (globals().json) return sayRiskJson(terminal, { epsilon0, delta, rows });
      await sayTable(terminal, rows, [
        { heading: "releases", cell: (row) => String(row.count), right: true },
        { heading: "holds", cell: ({ holds }) => shown(holds), right: true },
        { heading: "exact, Laplace", cell: ({ exact }) => shown(exact), right: true },
        { heading: "basic", cell: ({ basic }) => shown(basic), right: true },
        { heading: "advanced", cell: ({ advanced }) => shown(advanced), right: true },
        { heading: "zCDP", cell: ({ zcdp }) => shown(zcdp), right: true },
        { heading: "theorem 3.1 as published", cell: ({ published }) => shown(published), right: true },
        { heading: "as plotted", cell: ({ asPlotted }) => shown(asPlotted), right: true },
        { heading: "true δ there", cell: ({ deltaAtPlotted }) => shown(deltaAtPlotted), right: true },
      ]);
      say(
        terminal,
        "\nholds: the lesser of basic and optimal composition, for any ε₀-DP mechanism fixed in advance. Theorem 3.1 with the published confidence exceeds the zCDP line wherever it was tried and needs no privacy at risk; the plotted curve is not a bound.",
      );
      saySentence(context);
    });
}

/** `dosimeter risk`: privacy at risk as published, and what is true. Needs no server; charges and admits nothing. */
export function define(command: Command, context: Context): void {
  defineCurve(command, context);
  defineSensitivity(command, context);
  defineBudget(command, context);
  defineCompose(command, context);
}
