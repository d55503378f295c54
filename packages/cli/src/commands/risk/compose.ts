import { compositionChart, replicationChart } from "@dosimeter/plot/risk";
import { compositionRow, spreadCounts } from "@dosimeter/risk";
import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { checkChartFile, writeChartFile } from "../../show/chart-file.ts";
import { say, sayTable } from "../../terminal/output.ts";
import { progressBar } from "../../terminal/terminal.ts";
import { epsilon0Range, numberFlag, sayRiskJson, saySentence, shown } from "./flags.ts";

interface ComposeFlags {
  readonly epsilon0: string;
  readonly count: string;
  readonly delta: string;
  readonly points: string;
  readonly published?: true;
  readonly plot?: string;
}

/** `dosimeter risk compose`: figures 9 to 11, the total that holds first. */
export function defineCompose(command: Command, context: Context): void {
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
