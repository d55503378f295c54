import type { Client } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { readSql } from "@dosimeter/sql-text";
import { findAccount, findLedger } from "../find.ts";
import { type ReuseFlags, reuseOf } from "../flags/reuse.ts";
import { showQuote } from "../show/quote.ts";
import { receiptFacts } from "../show/receipt.ts";
import { say, sayJson } from "../terminal/output.ts";
import { sureOfVain } from "../terminal/sure.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { showSqlTables } from "./tables.ts";

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
  const request = {
    sql,
    account,
    ...(epsilon === undefined ? {} : { epsilon }),
    ...(rho === undefined ? {} : { rho }),
    ...(delta === undefined ? {} : { delta }),
    ...(over === undefined ? {} : { window: over }),
    ...reuseOf(flags),
  };
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
