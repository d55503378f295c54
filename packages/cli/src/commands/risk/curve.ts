import { lossChart, riskChart } from "@dosimeter/plot/risk";
import {
  attackAccuracy,
  composedFacts,
  dominationThreshold,
  GENERIC_DOMINATION_THRESHOLD,
  jointLoss,
  laplaceLoss,
  publishedModel,
} from "@dosimeter/risk";
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { checkChartFile, writeChartFile } from "../../show/chart-file.ts";
import { say, sayTable } from "../../terminal/output.ts";
import { paint } from "../../terminal/terminal.ts";
import { dimensionRange, epsilon0Range, listFlag, sayRiskJson, saySentence, shown } from "./flags.ts";

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
export function defineCurve(command: Command, context: Context): void {
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
