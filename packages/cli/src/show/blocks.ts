import type { BlockBalances } from "@dosimeter/client";
import { activeRuleRow, rangeName } from "@dosimeter/core";
import { type Column, say, sayTable } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { amount, short } from "./columns.ts";

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
