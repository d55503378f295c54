import type { Schedule, ScheduleQuote, ScheduleSummary } from "@dosimeter/client";
import { blockWord, casesText } from "@dosimeter/core";
import { countText, errorText } from "@dosimeter/core/internal";
import { cellText } from "@dosimeter/plot";
import { periodSeries, periodTable } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { say, sayFacts, sayTable } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { amount } from "./columns.ts";

export const scheduleTable = ({ points, words, every }: Schedule) => {
  const reports = points.map(({ block, answers }) => ({ block, answers: answersToShow({ answers, words }) }));
  return periodTable(periodSeries(reports), every);
};

const coveredText = (of: Pick<ScheduleSummary, "latest" | "horizon" | "every" | "protects">): string =>
  of.horizon === null ? countText(of.latest, blockWord(of)) : `all so far, of ${countText(of.horizon, of.every)}`;

const WAITS = {
  calendar: (at: string) => `on ${at.slice(0, 16).replace("T", " ")} UTC`,
  version: () => "when a version of the dataset with it is published",
  report: () => "when the report before has its answers",
  closing: () => "when its admin closes it",
  nothing: () => "within a minute",
} as const;

const nextText = ({ next, status }: Pick<ScheduleSummary, "next" | "status">): string =>
  next === null
    ? "–"
    : status === "paused"
      ? `${next.block}, when it is taken up again`
      : `${next.block}, ${WAITS[next.waitsFor](next.at)}`;

function termsFacts(terms: Omit<ScheduleQuote, "next" | "errors">): readonly (readonly [string, string])[] {
  const { latest, horizon, every, price, earmark, first } = terms;
  const each = price.epsilon === null ? "Gaussian noise" : `ε ${amount(price.epsilon)}`;
  if (horizon !== null)
    return [
      ["reports", `${horizon}, each over every ${every} from the first on`],
      ["set aside", `ε ${amount(earmark.epsilon)} in every ${every}, which pays once, for all reports to come`],
      ["first report", first],
    ];
  return [
    ["each report", `${each} from each of ${coveredText(terms)}`],
    [
      "set aside",
      `ε ${amount(earmark.epsilon)} in every ${blockWord(terms)}: it pays for ${countText(latest, "report")}`,
    ],
    ["first report", first],
  ];
}

/** How far off running totals will be, before anything is paid. */
const errorFacts = ({ errors }: ScheduleQuote): readonly (readonly [string, string])[] =>
  errors.map(({ row, first, last }) => [row, `within ± ${errorText(first)} at first and ± ${errorText(last)} at last`]);

/** What it would take, and how far off its answers would be. */
export function sayQuotedSchedule(terminal: Terminal, quote: ScheduleQuote): void {
  const next = nextText({ ...quote, status: "active" });
  sayFacts(terminal, [...termsFacts(quote), ...errorFacts(quote), ["next", next]]);
}

/** What it is, when it is made next, and what its reports said. */
export async function saySchedule(terminal: Terminal, schedule: Schedule): Promise<void> {
  const { id, name, status, points } = schedule;
  sayFacts(terminal, [
    ["schedule", id],
    ["name", name],
    ["status", status],
    ...termsFacts(schedule),
    ["next", nextText(schedule)],
  ]);
  const { columns, rows } = scheduleTable(schedule);
  if (rows.length > 0)
    await sayTable(
      terminal,
      rows,
      columns.slice(0, -1).map((column, at) => ({
        heading: column.name,
        cell: (row: (typeof rows)[number]) => cellText(row[at], column),
        ...(column.align === "right" ? { right: true as const } : {}),
      })),
    );
  const [last] = rows;
  if (last !== undefined)
    say(terminal, `Between lower and upper lies the answer without noise ${casesText(Number(last.at(-1)))}.`);
  for (const { block, state, refusal } of points)
    if (state !== "released")
      say(terminal, `${block}: ${state}${refusal === null ? "" : `, nothing was spent: ${refusal.detail}`}`);
}
