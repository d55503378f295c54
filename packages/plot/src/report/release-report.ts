import { protectedUnit, readPeriod } from "@dosimeter/core";
import { errorText } from "@dosimeter/core/internal";
import { type Cell, cellText, table } from "../chart.ts";
import { formatAmount, formatNumber, intervalText } from "../scene/number.ts";
import type { ReportedAnswer, ReportedRelease } from "./answer.ts";
import {
  agreedTable,
  answerChart,
  answerSentence,
  answerTable,
  captionOf,
  noiseWords,
  tablesIn,
} from "./answer-chart.ts";
import { cellValueIn, measureOf, subtitleOf, titleOf } from "./answer-words.ts";
import { askedBy, datasetText } from "./citation.ts";
import type { Block, Report } from "./report.ts";

const MAX_ROWS = 60;

/** Answers that the summary names; the others are counted. */
const MAX_SUMMARISED = 20;

/** A release as a document: a summary of one page, then every answer with its interval, chart, sentence and cost, receipt and plan. */
export function releaseReport(release: ReportedRelease): Report {
  const answers = release.answers ?? [];
  return {
    title: release.title,
    subtitle: `${datasetText(release)}. Asked by ${askedBy(release)}, ${moment(release.chargedAt)}.`,
    blocks: [
      ...summaryBlocks(release),
      { kind: "page" },
      ...answers.flatMap(answerBlocks),
      ...receiptBlocks(release),
      { kind: "heading", text: "The same again" },
      {
        kind: "text",
        text: "Saved as plan.json, this plan costs the same on the same declaration; it draws new noise and is paid again.",
      },
      {
        kind: "code",
        caption: "Command line",
        language: "shell",
        text: `dosimeter release ${quoted(release.datasetName)} --plan plan.json`,
      },
      { kind: "code", caption: "plan.json", language: "json", text: JSON.stringify(release.plan, null, 2) },
    ],
  };
}

/** What was found, what it cost and what is promised, on the first page. */
function summaryBlocks({ answers, note, receipt, words, plan }: ReportedRelease): readonly Block[] {
  const all = answers ?? [];
  const shown = all.slice(0, MAX_SUMMARISED);
  const more = all.length - shown.length;
  const facts: readonly (readonly [string, string])[] =
    receipt === null
      ? []
      : [
          ["ε spent", receipt.epsilon === null ? "–" : formatAmount(receipt.epsilon, "up")],
          ["δ spent", formatAmount(receipt.delta, "up")],
          ["Line of the ledger", String(receipt.entry)],
        ];
  return [
    ...(note === null ? [] : [{ kind: "text", text: note } as const]),
    ...(shown.length === 0
      ? []
      : ([
          { kind: "heading", text: "Summary" },
          {
            kind: "table",
            caption: more === 0 ? "What was found" : `What was found; ${more} more on the pages below`,
            table: table(["Statistic", "Answer", "Interval", "Cost"], shown.map(summaryRow)),
          },
        ] as const)),
    { kind: "facts", facts },
    ...howToRead({ words, plan }),
    ...(all.every((answer) => agreedTable(answer) === null) ? [] : [{ kind: "text", text: AGREED } as const]),
    ...(receipt === null ? [] : [{ kind: "text", text: receipt.guarantee, tone: "soft" } as const]),
  ];
}

export const howToRead = ({ words, plan }: Pick<ReportedRelease, "words" | "plan">): readonly Block[] => [
  { kind: "heading", text: "How to read ±" },
  {
    kind: "text",
    text: `Noise was added to every number: it limits how much better than by guessing anyone can tell from them whether ${protectedUnit("any one", words?.noun.one ?? "person", blocksOf({ plan, words }))} is in the data. An interval holds the answer without noise as often as its confidence says. It does not say how well the data describe the world.`,
  },
];

/** One answer has one interval here, that of its draw. */
const AGREED =
  "Answers are shown as they were drawn. The CSV and JSON of this release also have them made to agree with one another.";

/** The blocks of a released plan, whose window is a list of them; null: its ledger has none. */
function blocksOf({ plan, words }: Pick<ReportedRelease, "plan" | "words">): Parameters<typeof protectedUnit>[2] {
  const [range = ""] = (plan as { window?: { blocks?: readonly string[] } }).window?.blocks ?? [];
  const first = readPeriod(range.split(" ", 1)[0] ?? "");
  return first === null ? null : { every: first.unit, protects: words?.protects };
}

/** One number with its interval, or how many there are and between which. */
function summaryRow(answer: ReportedAnswer): readonly string[] {
  const [only] = answer.cells;
  const told = answer.cells.filter(({ unreliable }) => unreliable !== true).toSorted((a, b) => a.value - b.value);
  if (answer.cells.length === 1 && only !== undefined && answer.groupBy.length === 0)
    return [
      titleOf(answer),
      only.unreliable ? "–" : cellValueIn(answer, only),
      only.rank === undefined ? intervalText(only.interval, measureOf(answer)) : `± ${errorText(only.rank)} rows`,
      costText(answer),
    ];
  const [least, largest] = [told[0], told.at(-1)].map((cell) => (cell === undefined ? "–" : cellValueIn(answer, cell)));
  return [
    titleOf(answer),
    `${answer.cells.length} answers`,
    told.length === 0 ? "–" : `from ${least} to ${largest}`,
    costText(answer),
  ];
}

export function answerBlocks(answer: ReportedAnswer): readonly Block[] {
  const tables = tablesIn(answer);
  const title: readonly Block[] = tables.length > 1 ? [{ kind: "heading", text: titleOf(answer) }] : [];
  return [...title, ...tables.flatMap(shownBlocks), ...factBlocks(answer)];
}

function shownBlocks(answer: ReportedAnswer): readonly Block[] {
  const draw = answerChart(answer);
  const [only] = answer.cells;
  const isAlone = answer.cells.length === 1 && only !== undefined && answer.groupBy.length === 0;
  const isCounted = answer.shows.value === "rows" || answer.shows.value === "people";
  const negative = isCounted ? answer.cells.filter(({ value }) => value < 0).length : 0;
  return [
    { kind: "heading", text: titleOf(answer) },
    ...(isAlone
      ? ([
          { kind: "text", tone: "strong", text: only.unreliable ? "–" : cellValueIn(answer, only) },
          { kind: "text", text: answerSentence(answer, only) },
        ] as const)
      : []),
    ...(draw === null
      ? []
      : ([
          {
            kind: "chart",
            draw,
            caption: [subtitleOf(answer), captionOf(answer)].filter((part) => part !== "").join(". "),
          },
        ] as const)),
    ...(!isAlone && answer.cells.length <= MAX_ROWS
      ? ([{ kind: "table", caption: `${titleOf(answer)}: every answer`, table: answerTable(answer) }] as const)
      : []),
    ...(negative === 0
      ? []
      : ([
          {
            kind: "text",
            tone: "soft",
            text: `${negative === 1 ? "One count is" : `${negative} counts are`} below zero. Noise goes both ways; setting such counts to zero would make totals too large, so they stay as they came out.`,
          },
        ] as const)),
  ];
}

const factBlocks = (answer: ReportedAnswer): readonly Block[] => [
  {
    kind: "facts",
    facts: [
      ["Cost", costText(answer)],
      ["Protected by", noiseWords(answer)],
      ["Confidence", `${formatNumber(answer.confidence * 100)} %`],
    ],
  },
  ...answer.notes.map((text): Block => ({ kind: "text", tone: "soft", text })),
];

/** In three digits, never less than was paid; the receipt and the plan have all of them. */
const costText = ({ cost }: ReportedAnswer): string =>
  `${"epsilon" in cost ? `ε ${formatAmount(cost.epsilon, "up")}` : `ρ ${formatAmount(cost.rho, "up")}`}${cost.delta === undefined ? "" : `, δ ${formatAmount(cost.delta, "up")}`}`;

function receiptBlocks({ id, receipt }: ReportedRelease): readonly Block[] {
  if (receipt === null) return [{ kind: "text", text: "The answers are not there yet: there is no receipt." }];
  return [
    { kind: "heading", text: "Receipt" },
    { kind: "facts", facts: [["Release", id], ...receiptFacts({ receipt })] },
    { kind: "text", text: `The guarantee in force (version ${receipt.guaranteeVersion}): ${receipt.guarantee}` },
  ];
}

/** What it cost, and the hashes by which others check it; nothing of who asked. */
export const receiptFacts = ({
  receipt,
}: Pick<ReportedRelease, "receipt">): readonly (readonly [name: string, value: string])[] =>
  receipt === null
    ? []
    : [
        ["ε spent", receipt.epsilon ?? "–"],
        ["δ spent", receipt.delta],
        ["Line of the ledger", String(receipt.entry)],
        ["Released", moment(receipt.at)],
        ["Hash of the line", receipt.entryHash],
        ["Hash of the answers", receipt.answersHash],
      ];

/** Minutes of UTC: the same text wherever it is printed. */
const moment = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** A word of a command line that any shell reads as one. */
export const quoted = (word: string): string =>
  /^[\w./@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export const rowsOf = (block: Extract<Block, { kind: "table" }>): readonly (readonly string[])[] =>
  block.table.rows.map((row: readonly Cell[]) =>
    block.table.columns.map((column, index) => cellText(row[index], column)),
  );
