import type { Client, Schedule, ScheduleQuote, ScheduleSummary } from "@dosimeter/client";
import { blockWord, casesText, invalid } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import { cellText, formatNumber, toCsv } from "@dosimeter/plot";
import { periodSeries, periodTable } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findAccount, findDataset, findLedger, findPerson, listOf } from "../find.ts";
import { collect } from "../flags/collect.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { amount } from "../show/columns.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

interface Flags extends PlanFlags {
  readonly every?: string;
  readonly from?: string;
  readonly name?: string;
  readonly account?: string;
  readonly tell?: readonly string[];
  readonly quote?: true;
  readonly horizon?: string;
}

/** `dosimeter report schedule | schedules | series | pause | resume | end | retry`. */
export function defineSchedules(command: Command, context: Context): void {
  defineMaking(command, context);
  defineReading(command, context);
  const changed = async (change: (client: Client) => Promise<Schedule>) =>
    showSchedule(await withClient(context, change), context);
  for (const [name, status, description] of [
    ["pause", "paused", "make no reports until it is taken up again"],
    ["resume", "active", "take it up again: the reports that were missed are made, in order"],
  ] as const)
    command
      .command(name)
      .description(description)
      .argument("<schedule>", "its id")
      .action((schedule: string) => changed((client) => client.setSchedule({ schedule, status })));
  command
    .command("end")
    .description("make no more reports; what was set aside and not spent goes back")
    .argument("<schedule>", "its id")
    .action((schedule: string) => changed((client) => client.endSchedule({ schedule })));
  command
    .command("retry")
    .description("make the report of a period that was refused, or could not be measured")
    .argument("<schedule>", "its id")
    .argument("<period>", "2024-03")
    .action((schedule: string, block: string) => changed((client) => client.retryReport({ schedule, block })));
}

function defineMaking(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const schedule = command
    .command("schedule")
    .description("release a plan whenever a period is over, over the latest ones, from a budget that is set aside now")
    .argument("<dataset>", "its name or id: of a population with blocks")
    .requiredOption("-n, --name <name>", "what to call it")
    .option("--every <period>", "the period of the dataset's blocks, to be sure: month")
    .option("--from <period>", "whose end brings the first report (default: the next one to be over)")
    .option(
      "-a, --account <account>",
      "my account that it is set aside from: a path or id (default: the only one that I hold)",
    )
    .option("--tell <person>", "who is notified of new answers next to me; once for each", collect)
    .option(
      "--horizon <periods>",
      "of running counts and totals, instead of --over: for how many periods they go on; each period pays once",
    )
    .option("--quote", "say what it would take, and change nothing");
  planOptions(schedule).action(async (name: string, flags: Flags) => {
    const { window, ...plan } = await planOf(flags, terminal.cwd);
    const over =
      flags.horizon === undefined ? { latest: latestOf(window) } : { horizon: horizonOf(flags.horizon, window) };
    const made = await withClient(context, async (client) => {
      const ledger = await findLedger(client, name);
      const { id: account } = await findAccount(client, ledger.id, flags.account, "maySetAside");
      const asked = {
        dataset: ledger.dataset,
        account,
        plan: plan as never,
        ...over,
        ...(flags.from === undefined ? {} : { from: flags.from }),
      };
      const quote = await client.quoteSchedule(asked);
      if (flags.every !== undefined && flags.every !== quote.every)
        invalid("--every", flags.every, `${quote.every}, as the blocks of ${name}`);
      if (flags.quote) return quote;
      const recipients = await Promise.all(
        (flags.tell ?? []).map(async (person) => (await findPerson(client, person)).id),
      );
      return client.createSchedule({ ...asked, name: flags.name ?? "", recipients });
    });
    if ("id" in made) return showSchedule(made, context);
    if (globals().json) return sayJson(terminal, made);
    const next = nextText({ ...made, status: "active" });
    sayFacts(terminal, [...termsFacts(made), ...errorFacts(made), ["next", next]]);
  });
}

/** `latest 12`, as --over or the plan file says it. */
function latestOf(window: unknown): number {
  const typed = typeof window === "string" ? /^latest (\d{1,6})$/.exec(window.trim())?.[1] : undefined;
  const given = typed ?? (window as { readonly latest?: unknown } | undefined)?.latest;
  const latest = Number(given);
  return Number.isSafeInteger(latest) && given !== undefined
    ? latest
    : invalid("--over", window, "how many of the latest: 'latest 12'");
}

function horizonOf(given: string, window: unknown): number {
  if (window !== undefined)
    invalid("--over", window, "absent: with --horizon each report covers all periods from the first on");
  return /^\d{1,3}$/.test(given) ? Number(given) : invalid("--horizon", given, "a whole number from 2 to 120");
}

function defineReading(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("schedules")
    .description("the scheduled reports on a dataset that I may read, newest first")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const all = await withClient(context, async (client) => {
        const { id: dataset } = await findDataset(client, name);
        return listOf(client.all("listSchedules", { dataset }));
      });
      if (globals().json) return sayJson(terminal, all);
      await sayTable(terminal, all, [
        { heading: "schedule", cell: ({ id }) => id },
        { heading: "name", cell: ({ name: called }) => called },
        { heading: "by", cell: ({ ownerName }) => ownerName },
        { heading: "over", cell: coveredText },
        { heading: "status", cell: ({ status }) => status },
        { heading: "next", cell: nextText },
      ]);
    });
  command
    .command("series")
    .description("what its reports said, one after the other; reading is free")
    .argument("<schedule>", "its id")
    .option("--csv", "print every number as CSV and nothing else")
    .action(async (id: string, flags: { csv?: true }) => {
      const schedule = await withClient(context, (client) => client.showSchedule({ schedule: id }));
      if (flags.csv) terminal.out.write(toCsv({ table: tableOf(schedule) }));
      else await showSchedule(schedule, context);
    });
}

const tableOf = ({ points, words, every }: Schedule) => {
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
  errors.map(({ row, first, last }) => [
    row,
    `within ±${formatNumber(first)} at first and ±${formatNumber(last)} at last`,
  ]);

async function showSchedule(schedule: Schedule, { terminal, globals }: Context): Promise<void> {
  if (globals().json) return sayJson(terminal, schedule);
  const { id, name, status, points } = schedule;
  sayFacts(terminal, [
    ["schedule", id],
    ["name", name],
    ["status", status],
    ...termsFacts(schedule),
    ["next", nextText(schedule)],
  ]);
  const { columns, rows } = tableOf(schedule);
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
