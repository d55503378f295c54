import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client, Report } from "@dosimeter/client";
import { agentReportChart, formatNumber, reportChart, toCsv } from "@dosimeter/plot";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { paint } from "../terminal/terminal.ts";
import { checkChartFile, writeChartFile } from "./chart-file.ts";

interface ReportFlags {
  readonly delta?: string;
  readonly threshold?: string;
  readonly csv?: string;
  readonly plot?: string;
  readonly plotAgent?: string;
}

/** Adds the options of a report and its action; `find` names whose report it is. */
export function reportCommand(
  command: Command,
  context: Context,
  ask: (client: Client, names: readonly string[], options: ReportOptions) => Promise<Report>,
): void {
  command
    .option("-d, --delta <delta>", "δ of every total (default: its own)")
    .option(
      "--threshold <epsilon>",
      "ε of one query above which AGENT composes by addition (default: that of the ledger)",
    )
    .option("--csv <file>", "write the lines over time as CSV")
    .option("--plot <file>", "write the lines over time as .svg or .png")
    .option("--plot-agent <file>", "write AGENT's report against the δ that is left as .svg or .png")
    .action(async (...args: unknown[]) => {
      const names = args.filter((arg): arg is string => typeof arg === "string");
      const flags = args.find((arg): arg is ReportFlags => typeof arg === "object" && arg !== null) ?? {};
      checkChartFile(flags.plot);
      checkChartFile(flags.plotAgent);
      const { delta, threshold } = flags;
      const options = {
        ...(delta === undefined ? {} : { delta }),
        ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
      };
      const report = await withClient(context, (client) => ask(client, names, options));
      await writeFiles(context, report, flags);
      if (context.globals().json) return sayJson(context.terminal, report);
      await show(context, report);
    });
}

export interface ReportOptions {
  readonly delta?: string;
  readonly threshold?: number;
}

async function writeFiles({ terminal }: Context, report: Report, { csv, plot, plotAgent }: ReportFlags): Promise<void> {
  await writeChartFile(plot, terminal.cwd, (size) => reportChart(report, size));
  const { agent } = report;
  if (agent !== null) await writeChartFile(plotAgent, terminal.cwd, (size) => agentReportChart(agent, size));
  if (csv !== undefined) await writeFile(resolve(terminal.cwd, csv), toCsv(reportChart(report, { width: 640 })));
}

async function show({ terminal }: Context, report: Report): Promise<void> {
  const { statement, agent, more } = report;
  say(terminal, `${statement.sentence}\n`);
  sayFacts(terminal, [
    ["promise", `[${statement.promised.claim}] ${statement.promised.certificate}`],
    ["spent", `[${statement.spent.claim}] ${statement.spent.certificate}`],
    ...(more === null
      ? []
      : [
          [
            "room",
            `${more.isAtLeast ? "at least" : "about"} ${formatNumber(more.count)} more like the last ${more.like}`,
          ] as const,
        ]),
  ]);
  say(
    terminal,
    `\n${paint(terminal, "bold", `${formatNumber(report.charges)} charges, every accountant at δ = ${report.delta}`)}`,
  );
  await sayTable(terminal, report.accountants, [
    { heading: "", cell: ({ isLeast }) => (isLeast ? "least" : "") },
    { heading: "accountant", cell: ({ label }) => label },
    { heading: "ε", cell: ({ epsilon, unavailable }) => (unavailable === null ? text(epsilon) : "—"), right: true },
    { heading: "at least", cell: ({ lower }) => (lower === null ? "" : formatNumber(lower, 6)), right: true },
    { heading: "assumes", cell: ({ assumes, unavailable }) => unavailable ?? assumes },
  ]);
  if (agent === null) return;
  say(terminal, `\n${paint(terminal, "bold", "As AGENT reports it")}`);
  sayFacts(terminal, [
    ["reports", `ε = ${text(agent.epsilon)} at δ = ${formatNumber(agent.delta)}, by ${agent.method}`],
    ["true", `ε = ${text(agent.tightest)} of this list at that δ`],
  ]);
  for (const remark of agent.remarks) say(terminal, `  ${remark}`);
}

const text = (epsilon: number | null): string => (epsilon === null ? "∞" : formatNumber(epsilon, 6));
