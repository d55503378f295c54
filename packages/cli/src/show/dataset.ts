import type { Dataset } from "@dosimeter/client";
import { FITTED } from "@dosimeter/core";
import { missingWords, mostRowsOf } from "@dosimeter/query/declaration";
import { say, sayFacts, sayTable } from "../terminal/output.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { accountColumns, amount, protectedText } from "./columns.ts";

/** Its ledger, its columns, and the accounts that its reader can spend from. */
export async function sayDataset(terminal: Terminal, dataset: Dataset): Promise<void> {
  sayFacts(terminal, [
    ["dataset", dataset.name],
    ["id", dataset.id],
    ["protects", `${protectedText({ ...dataset, blocks: dataset.ledger?.blocks })} (${dataset.adjacency})`],
    ["most rows", String(mostRowsOf(dataset.declaration as never))],
    ["population", dataset.population],
    ...(dataset.isFitted ? ([["declared", FITTED]] as const) : []),
    ["ledger", dataset.ledger?.id ?? "not open yet"],
    ...(dataset.ledger === null
      ? []
      : ([
          ["lifetime", `ε ${dataset.ledger.epsilon}, δ ${dataset.ledger.delta}, ${dataset.ledger.rule}`],
          ["spent", `ε ${amount(dataset.ledger.balance.epsilon.spent)}`],
          ["promised", `ε ${amount(dataset.ledger.promised)}, to budgets below that have not spent it`],
          ["free", `ε ${dataset.ledger.free.epsilon}`],
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
