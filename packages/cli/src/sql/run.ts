import type { Client, SqlRelease } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { readSql } from "@dosimeter/sql-text";
import { findAccount, findLedger } from "../find.ts";
import { type ReuseFlags, reuseOf } from "../flags/reuse.ts";
import { receiptFacts } from "../show/answers.ts";
import { showQuote } from "../show/quote.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";
import { sureOfVain } from "../terminal/sure.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

type Cell = NonNullable<SqlRelease["tables"]>[number]["rows"][number][number] | undefined;

/** Numbers as exact as they were released; a missing value as SQL writes it. */
const textOf = (cell: Cell): string =>
  cell === null || cell === undefined
    ? "NULL"
    : typeof cell === "object"
      ? `[${cell.map(textOf).join(", ")}]`
      : String(cell);

/** One table for each SELECT. */
async function showSqlTables(terminal: Terminal, { tables }: Pick<SqlRelease, "tables">): Promise<void> {
  for (const [index, { columns, rows }] of (tables ?? []).entries()) {
    if (index > 0) say(terminal);
    await sayTable(
      terminal,
      rows,
      columns.map((heading, place) => {
        const isNumber = rows.every((row) => typeof row[place] !== "string");
        return {
          heading,
          cell: (row: (typeof rows)[number]) => textOf(row[place]),
          ...(isNumber ? { right: true as const } : {}),
        };
      }),
    );
  }
}

export interface SqlFlags extends ReuseFlags {
  readonly epsilon?: string;
  readonly rho?: string;
  readonly delta?: string;
  readonly over?: string;
  readonly quote?: true;
  readonly key?: string;
  readonly account?: string;
  readonly purpose?: string;
  readonly yes?: true;
  readonly exact?: true;
}

interface Run {
  readonly terminal: Terminal;
  readonly flags: SqlFlags;
  readonly isJson: boolean;
}

/** Quotes or releases one text, and shows what came of it; false for a quote that does not fit. */
export async function runSql(client: Client, sql: string, { terminal, flags, isJson }: Run): Promise<boolean> {
  const ledger = await findLedger(client, readSql(sql).dataset.name);
  const { id: account } = await findAccount(client, ledger.id, flags.account);
  const { epsilon, rho, delta, over } = flags;
  const request = { sql, account, ...present({ epsilon, rho, delta, window: over }), ...reuseOf(flags) };
  const note = (notes: readonly string[]): void => {
    for (const each of notes) say(terminal, paint(terminal, "dim", each));
  };
  if (flags.quote) {
    const quoted = await client.quoteSql(request);
    if (isJson) sayJson(terminal, quoted);
    else {
      await showQuote(terminal, quoted.quote);
      note(quoted.notes);
    }
    return quoted.quote.admitted;
  }
  await sureOfVain(async () => (await client.quoteSql(request)).quote, terminal, flags);
  const stated = flags.purpose === undefined ? {} : { purpose: flags.purpose };
  const answered = await client.releaseSqlAndWait(
    { ...request, ...stated, ...present({ exact: flags.exact }) },
    {
      ...(flags.key === undefined ? {} : { idempotencyKey: flags.key }),
      onStage: (stage) => {
        if (terminal.isInteractive && stage !== "done") terminal.err.write(`${stage} …\n`);
      },
    },
  );
  if (isJson) sayJson(terminal, answered);
  else {
    await showSqlTables(terminal, answered);
    note([...new Set([...answered.notes, ...(answered.tables ?? []).flatMap(({ notes }) => notes)])]);
    say(terminal);
    receiptFacts(terminal, answered.release);
  }
  return true;
}
