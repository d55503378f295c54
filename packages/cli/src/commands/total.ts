import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type DpEvent, QUESTION_WORK, workBudget } from "@dosimeter/core";
import {
  accountantNamed,
  accountants,
  agentListOf,
  agentReport,
  byLine,
  howManyMore,
  lossHistory,
  odometerEpsilon,
  type Report,
  readSpendList,
  readSpends,
  type SpendLine,
  tightestOf,
} from "@dosimeter/core/accounting";
import { agentReportChart, formatNumber, lossHistoryChart } from "@dosimeter/plot";
import type { Command } from "commander";
import { oneOf } from "../calc/readers.ts";
import type { Context } from "../context.ts";
import { anyNumber } from "../flags/values.ts";
import { checkChartFile, writeChartFile } from "../show/chart-file.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { paint } from "../terminal/terminal.ts";

interface Flags {
  readonly delta: string;
  readonly epsilon?: string;
  readonly threshold: string;
  readonly adjacency?: string;
  readonly plot?: string;
  readonly plotAgent?: string;
}

const HISTORY = ["basic", "advanced", "rdp", "pld"] as const;

/** `dosimeter total`: the total of a list of spends by every accountant. Reads a file or the standard input; needs no server. */
export function define(command: Command, context: Context): void {
  command
    .argument("[file]", "CSV or JSON of spends; the standard input when absent or -")
    .option("-d, --delta <delta>", "delta of the total, and of the budget", "1e-6")
    .option("-e, --epsilon <epsilon>", "epsilon of the budget: says how many more spends of the last kind would fit")
    .option(
      "--threshold <epsilon>",
      "epsilon of one query above which AGENT uses basic composition; a ledger has its own: dosimeter ledger set",
      "1",
    )
    .option("--adjacency <relation>", "addRemove or replace: the neighbour relation, checked against the spends")
    .option("--plot <file>", "write epsilon over time as .svg or .png")
    .option("--plot-agent <file>", "write AGENT's report against the delta that is left as .svg or .png")
    .action(async (file: string | undefined, flags: Flags) => {
      checkChartFile(flags.plot);
      checkChartFile(flags.plotAgent);
      const { terminal } = context;
      const source =
        file === undefined || file === "-" ? readAll(terminal.in) : readFile(resolve(terminal.cwd, file), "utf8");
      await show(context, readSpendList(await source), flags);
    });
}

/** How many more of the last spend the budget takes; undefined of an empty list. */
function moreOfLast(
  events: readonly DpEvent[],
  limit: Omit<Parameters<typeof howManyMore>[2], "work">,
): number | undefined {
  const latest = events.at(-1);
  const last = latest?.kind === "repeated" ? latest.event : latest;
  return last === undefined ? undefined : howManyMore(events, last, { ...limit, work: workBudget(QUESTION_WORK) });
}

async function show(context: Context, lines: readonly SpendLine[], flags: Flags): Promise<void> {
  const { terminal, globals } = context;
  const delta = anyNumber(flags.delta, "--delta");
  const budget = flags.epsilon === undefined ? undefined : anyNumber(flags.epsilon, "--epsilon");
  const events = lines.map(({ event }) => event);
  const adjacency =
    flags.adjacency === undefined ? undefined : oneOf(["addRemove", "replace"]).read(flags.adjacency, "--adjacency");
  const budgeted = () => readSpends(events, adjacency, "spends", workBudget(QUESTION_WORK));
  const spends = budgeted();
  const best = tightestOf(spends, { delta });
  const { agent, omission } = agentOf(lines, flags, budget ?? 0);
  const adaptive = odometerEpsilon(budgeted(), delta);
  const question = { delta, method: best.method, adjacency };
  const more = budget === undefined ? undefined : moreOfLast(events, { ...question, epsilon: budget });
  await writeChartFile(flags.plot, terminal.cwd, (size) =>
    lossHistoryChart(
      {
        delta,
        histories: HISTORY.map((method) => ({
          label: accountantNamed(method).label,
          points: lossHistory(events, { delta, method, points: 16, adjacency, work: workBudget(QUESTION_WORK) }),
        })),
        ...(budget === undefined ? {} : { budget }),
      },
      size,
    ),
  );
  if (agent !== undefined) await writeChartFile(flags.plotAgent, terminal.cwd, (size) => agentReportChart(agent, size));
  if (globals().json)
    return sayJson(
      terminal,
      plain({
        spends: spends.count,
        delta,
        best,
        adaptive,
        ...(more === undefined ? {} : { more }),
        agent: agent ?? null,
        ...(omission === null ? {} : { agentOmission: omission }),
      }),
    );
  say(
    terminal,
    `${formatNumber(spends.count)} ${spends.count === 1 ? "spend" : "spends"}, total at delta ${flags.delta}\n`,
  );
  await sayTable(terminal, best.all, [
    { heading: "", cell: ({ method }) => (method === best.method ? "least" : "") },
    { heading: "accountant", cell: ({ method }) => labelOf(method) },
    { heading: "epsilon", cell: epsilonText, right: true },
    { heading: "at least", cell: lowerText, right: true },
    { heading: "assumes", cell: (report) => ("unavailable" in report ? byLine(report.unavailable) : report.assumes) },
  ]);
  say(terminal);
  const { epsilon } = best;
  sayFacts(terminal, [
    ["the least", `${paint(terminal, "bold", formatNumber(epsilon, 6))} by ${labelOf(best.method)}`],
    ["however the queries were chosen", formatNumber(adaptive, 6)],
    ...(more === undefined
      ? []
      : [["more like the last, by this report", more < 0 ? "over already" : formatNumber(more)] as const]),
  ]);
  if (agent === undefined) {
    if (omission !== null) say(terminal, `\n${paint(terminal, "bold", "As AGENT reports it")}  no report: ${omission}`);
    return;
  }
  const { method } = agent;
  say(
    terminal,
    `\n${paint(terminal, "bold", "As AGENT reports it")}  epsilon ${formatNumber(agent.epsilon, 6)}, delta ${agent.delta} (${method})`,
  );
  for (const remark of agent.remarks) say(terminal, `· ${remark}`);
  say(
    terminal,
    `· Once one query has more than epsilon ${flags.threshold}, AGENT uses basic composition: --threshold changes it here, dosimeter ledger set --threshold for a ledger.`,
  );
}

/** AGENT's report of a list in which every line has an (ε, δ) or a ρ. */
function agentOf(lines: readonly SpendLine[], flags: Flags, epsilon: number) {
  const { spends, omission } = agentListOf(lines);
  if (spends.length === 0) return { agent: undefined, omission };
  const threshold = anyNumber(flags.threshold, "--threshold");
  return { agent: agentReport(spends, { epsilon, delta: flags.delta }, threshold), omission };
}

const labelOf = (method: Report["method"]): string => accountants.find((row) => row.method === method)?.label ?? method;
const epsilonText = (report: Report): string => ("unavailable" in report ? "–" : formatNumber(report.epsilon, 6));
const lowerText = (report: Report): string =>
  "unavailable" in report || report.lower === undefined ? "" : formatNumber(report.lower, 6);

/** Infinite numbers as their names, as JSON has none. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)));
}
