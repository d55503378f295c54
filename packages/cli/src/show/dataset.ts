import type { BlockBalances, Dataset } from "@dosimeter/client";
import { activeRuleRow, FITTED, rangeName } from "@dosimeter/core";
import { missingWords, mostRowsOf } from "@dosimeter/query/declaration";
import { type Column, say, sayFacts, sayTable } from "../terminal/output.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { accountColumns, amount, protectedText, short } from "./columns.ts";

const UNCHECKED = [
  [
    "declared",
    "not checked against its rows: a wrong code or bound makes paid answers wrong; `dataset check` on a terminal, and New dataset in a browser, check a file",
  ],
] as const;

/** Its ledger, its columns, and the accounts that its reader can spend from. */
export async function sayDataset(terminal: Terminal, dataset: Dataset): Promise<void> {
  sayFacts(terminal, [
    ["dataset", dataset.name],
    ["id", dataset.id],
    ["protects", `${protectedText({ ...dataset, blocks: dataset.ledger?.blocks })} (${dataset.adjacency})`],
    ["most rows", String(mostRowsOf(dataset.declaration as never))],
    ["population", dataset.population],
    ...(dataset.isFitted ? ([["declared", FITTED]] as const) : dataset.ledger === null ? UNCHECKED : []),
    ["ledger", dataset.ledger?.id ?? "not open yet"],
    ...(dataset.ledger === null
      ? []
      : ([
          ["lifetime", `ε ${dataset.ledger.epsilon}, δ ${dataset.ledger.delta}, ${dataset.ledger.rule}`],
          ["spent", `ε ${amount(dataset.ledger.balance.epsilon.spent)}`],
          ["promised", `ε ${amount(dataset.ledger.promised)}, to budgets below that have not spent it`],
          ["free", `ε ${dataset.ledger.free.epsilon}`],
          ...(dataset.ledger.status === "open" ? [] : ([["frozen", dataset.ledger.over ?? "no charges"]] as const)),
        ] as const)),
    ...(dataset.lineage?.rowSecurity ?? []).map(
      (table) => ["some rows only", `row-level security of ${table}`] as const,
    ),
    ...(dataset.lineage?.sameRows ?? []).map(
      ({ name, reason }) =>
        [
          "same rows",
          `${name ?? "another dataset"} has another ledger${reason === null ? "" : `: ${reason}`}`,
        ] as const,
    ),
  ]);
  const columns = dataset.declaration.columns as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  say(terminal);
  await sayTable(terminal, Object.entries(columns), [
    { heading: "column", cell: ([name]) => name },
    { heading: "label", cell: ([, column]) => String(column.label ?? "") },
    { heading: "type", cell: ([, column]) => String(column.type) },
    { heading: "may be", cell: ([, column]) => mayBe(column) },
    { heading: "missing", cell: ([, column]) => missingWords(column) },
    { heading: "known by", cell: ([, column]) => String(column.provenance) },
  ]);
  if (dataset.accounts.length === 0) return;
  say(terminal, `\n${paint(terminal, "bold", "Budgets that I can spend from")}`);
  await sayTable(terminal, dataset.accounts, accountColumns);
}

function mayBe({
  lower,
  upper,
  granularity,
  categories,
  unit,
  valueLabels,
}: Readonly<Record<string, unknown>>): string {
  const labels = (valueLabels ?? {}) as Readonly<Record<string, string>>;
  const named = (value: unknown) =>
    Object.hasOwn(labels, String(value)) ? `${value} = ${labels[String(value)]}` : String(value);
  if (Array.isArray(categories))
    return categories.length <= 8 ? categories.map(named).join(" | ") : `${categories.length} categories`;
  if (lower === undefined) return "";
  return `${lower} … ${upper}${unit === undefined ? "" : ` ${unit}`}${granularity === undefined ? "" : typeof granularity === "string" ? `, by ${granularity}` : `, step ${granularity}`}`;
}

/** What is spent and set aside in each period: those in the same state are one line. */
export async function sayBlocks(terminal: Terminal, { calendar, rows }: BlockBalances): Promise<void> {
  if (calendar === null) return say(terminal, "This ledger has no blocks, or no table declares them yet.");
  const lines = rows.flatMap(({ runs, ...row }) => runs.map((run) => ({ ...row, ...run })));
  const isMu2 = rows.some(({ activeRule }) => activeRuleRow(activeRule).counts === "mu2");
  await sayTable(terminal, lines, [
    { heading: "budget", cell: (line) => line.name },
    { heading: calendar.every, cell: ({ from, to }) => rangeName(from, to) },
    { heading: "spent ε", cell: ({ epsilon }) => amount(epsilon), right: true },
    { heading: "of ε", cell: ({ quota }) => amount(quota.epsilon), right: true },
    ...(isMu2 ? mu2Columns : []),
    { heading: "used", cell: ({ used }) => percent(used), right: true },
    { heading: "set aside", cell: ({ earmarked }) => percent(earmarked), right: true },
    { heading: "free", cell: ({ used, earmarked }) => percent(Math.max(0, 1 - used - earmarked)), right: true },
  ]);
  say(
    terminal,
    `Each ${calendar.every} has a budget of its own; one in no line is free. Closed up to: ${calendar.closed ?? "none yet"}.`,
  );
}

type Row = BlockBalances["rows"][number];

/** Where the rule counts μ², what is used, set aside and free is a share of it. */
const mu2Columns: readonly Column<Pick<Row, "muSquared"> & Pick<Row["runs"][number], "mu2">>[] = [
  { heading: "spent μ²", cell: ({ mu2 }) => short(mu2, "up"), right: true },
  { heading: "of μ²", cell: ({ muSquared }) => short(muSquared, "down"), right: true },
];

const percent = (share: number): string => `${Math.round(share * 100)} %`;
