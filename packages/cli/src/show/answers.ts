import type { Release } from "@dosimeter/client";
import { type Calendar, casesText, periodText } from "@dosimeter/core";
import { meaningful, roundTowards } from "@dosimeter/core/internal";
import { toCsv } from "@dosimeter/plot";
import {
  agreedWords,
  binText,
  columnMeasure,
  columnText,
  datasetText,
  measureOf,
  type ReportedAnswer,
  releaseTable,
  unitOf,
  valueText,
} from "@dosimeter/plot/report";
import { type Answer, answersToShow, quantileOfCdf } from "@dosimeter/query/answer";
import type { GroupKey } from "@dosimeter/query/plan";
import { type AnswerCell, isStatisticName, statisticOf } from "@dosimeter/query/statistics";
import { say, sayFacts, sayTable } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";
import { costText } from "./columns.ts";

/** A release, or what was computed without one. */
interface Answered {
  readonly answers: readonly { readonly statistic: string }[] | null;
  readonly words: NonNullable<ReportedAnswer["words"]>;
}

/** One table per answer: group or bin, value, interval. */
export async function showAnswers(terminal: Terminal, release: Answered): Promise<void> {
  for (const answer of answersToShow(release) ?? []) {
    say(terminal, `${paint(terminal, "bold", printable(`${answer.id}: ${answer.label}`))}${costWords(answer)}`);
    if (answer.simultaneous !== undefined) await showCurve(terminal, answer);
    else await showCells(terminal, answer);
    if (answer.cells.some(({ consistent }) => consistent !== undefined))
      say(
        terminal,
        paint(
          terminal,
          "dim",
          `${agreedWords({ statistic: answer.statistic }, "Made to agree with the other answers")}: ${answer.cells
            .flatMap(({ consistent }) =>
              consistent === undefined ? [] : [plain(meaningful(consistent).value, measureOf(answer).calendar)],
            )
            .slice(0, 20)
            .join(", ")}`,
        ),
      );
    for (const note of answer.notes) say(terminal, paint(terminal, "dim", note));
  }
}

/** An answer with what its units, columns and values are called. */
type Shown = Answer & Pick<ReportedAnswer, "shows" | "words">;

const SHOWN_SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/** A curve of a thousand steps, read at a few shares; the whole of it is in the JSON and the CSV. */
async function showCurve(terminal: Terminal, answer: Shown): Promise<void> {
  const { calendar } = columnMeasure(answer);
  const groups = answer.cells.map(({ group }) => group);
  const rows = distinctGroups(groups).flatMap((group) =>
    SHOWN_SHARES.map((share) => {
      const read = quantileOfCdf(answer, share, group);
      return { group, share, ...read, ...(calendar == null ? meaningful({ ...read, rank: 0 }) : {}) };
    }),
  );
  await sayTable(terminal, rows, [
    ...answer.groupBy.map((name) => ({
      heading: columnText(answer, name),
      cell: ({ group }: (typeof rows)[number]) => valueText(answer, name, group[name]),
    })),
    { heading: "share of rows", cell: ({ share }) => `${plain(100 * share)} %`, right: true },
    {
      heading: `${answer.column ?? "value"}, at most`,
      cell: ({ value, unreliable }) => `${plain(value, calendar)}${unreliable ? " (unreliable)" : ""}`,
      right: true,
    },
    {
      heading: casesText(answer.confidence),
      cell: ({ interval }) => between(interval, calendar),
      right: true,
    },
  ]);
}

function distinctGroups(groups: readonly GroupKey[]): readonly GroupKey[] {
  return [...new Map(groups.map((group) => [JSON.stringify(group), group])).values()];
}

/** An intercept and slopes; a newer server may name a statistic that is not known here. */
const hasTerms = ({ statistic }: Answer): boolean =>
  isStatisticName(statistic) && statisticOf(statistic).shows.chart === "slopes";

async function showCells(terminal: Terminal, answer: Shown): Promise<void> {
  const unit = unitOf(answer);
  const { calendar } = measureOf(answer);
  const cells = answer.cells.map((cell) => (calendar == null ? { ...cell, ...meaningful(cell) } : cell));
  await sayTable(terminal, cells, [
    ...answer.groupBy.map((name) => ({
      heading: columnText(answer, name),
      cell: ({ group }: AnswerCell) => valueText(answer, name, group[name]),
    })),
    ...(answer.cells.some(({ bin }) => bin !== undefined)
      ? [
          {
            heading: hasTerms(answer) ? "term" : answer.column === null ? "bin" : columnText(answer, answer.column),
            cell: (cell: AnswerCell) => binText(answer, cell),
          },
        ]
      : []),
    {
      heading: unit === undefined ? "answer" : `answer (${unit})`,
      cell: ({ value, unreliable }) => `${plain(value, calendar)}${unreliable ? " (unreliable)" : ""}`,
      right: true,
    },
    {
      heading: casesText(answer.confidence),
      cell: ({ interval, rank }) =>
        rank === undefined ? between(interval, calendar) : `at most ${plain(rank)} rows off`,
      right: true,
    },
    ...(answer.cells.some(({ standardError }) => standardError !== undefined)
      ? [
          {
            heading: "standard error",
            cell: ({ standardError }: AnswerCell) =>
              standardError === undefined ? "" : plain(roundTowards(standardError, "up", 3)),
            right: true as const,
          },
        ]
      : []),
  ]);
}

/** An interval; one of dates ends on whole days, outwards. */
const between = ([from, to]: readonly [number, number], calendar?: Calendar | null): string =>
  calendar == null
    ? `${plain(from)} … ${plain(to)}`
    : `${periodText(from, calendar, "down")} … ${periodText(to, calendar, "up")}`;

function costWords({ cost, origin }: Answer): string {
  if (origin !== undefined && "epsilon" in cost) return " free, from earlier answers";
  const delta = cost.delta === undefined ? "" : `, δ ${cost.delta}`;
  return "epsilon" in cost ? ` for ε ${cost.epsilon}${delta}` : ` for ρ ${cost.rho}${delta}`;
}

/** A number of digits that mean something, without the last bits of a double; a date is printed as one. */
function plain(value: number, calendar?: Calendar | null): string {
  if (calendar != null) return periodText(value, calendar);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
}

/** Every answer of a release, one line per cell, in the digits that mean something; all of them where they are asked for. */
export const answersAsCsv = (release: Answered, { exact }: { readonly exact?: true } = {}): string =>
  toCsv({ table: releaseTable(answersToShow(release) ?? [], { isExact: exact === true }) });

/** The flags of a CSV of answers. */
export const CSV = ["--csv", "print the answers as CSV"] as const;
export const EXACT = [
  "--exact",
  "with --csv: all digits that were released, not only those that mean something",
] as const;

/** Which release it is, what it cost, its line in the ledger and what is guaranteed. */
export function receiptFacts(
  terminal: Terminal,
  release: Pick<Release, "id" | "receipt" | "joined" | "datasetName" | "version">,
): void {
  const { receipt } = release;
  sayFacts(terminal, [
    ["release", release.id],
    ...(release.joined === null ? [] : [["dataset", datasetText(release)] as const]),
    ...(receipt === null
      ? []
      : ([
          ["cost", costText({ ...receipt, mu2: null })],
          ["receipt", `line ${receipt.entry}, ${receipt.entryHash}`],
          ["guarantee", receipt.guarantee],
        ] as const)),
  ]);
}
