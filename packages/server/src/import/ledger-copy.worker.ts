import { type DpEvent, deltaFromUnits, type Lane, residueFromUnits } from "@dosimeter/core";
import { type CopiedCharge, copiedTerms } from "@dosimeter/ledger";
import { checkExport, type Row, readExport } from "@dosimeter/verify";
import { serveThread } from "../report/serve-thread.ts";
import type { Reading } from "./ledger-copy.ts";

serveThread(async (text: string): Promise<Reading> => {
  try {
    return await readingOf(text);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "it cannot be read" };
  }
});

async function readingOf(text: string): Promise<Reading> {
  const check = await checkExport(text);
  const [problem] = check.problems;
  if (problem !== undefined) return { problem: `${problem.where} ${problem.problem}` };
  if (check.signedBy === null) return { problem: "it is not signed" };
  const { tables } = await readExport(text);
  const rows = (table: string): readonly Row[] => tables.get(table) ?? [];
  const ledger = rows("ledger")[0] ?? {};
  const version = rows("guarantee_version").find((row) => row.version === ledger.version);
  const quotes = Map.groupBy(rows("plan_quote"), ({ entry_seq }) => entry_seq);
  const charges = rows("entry")
    .filter(({ kind }) => kind === "charge" || kind === "writeOff")
    .map(
      ({ seq, events, lane }): CopiedCharge => ({
        events: JSON.parse(events ?? "[]") as DpEvent[],
        lane: lane as Lane,
        quotes: (quotes.get(seq ?? "") ?? []).map((row) => ({
          before: residueFromUnits(row.residue_before ?? ""),
          after: residueFromUnits(row.residue_after ?? ""),
          slack: deltaFromUnits(row.slack ?? ""),
        })),
      }),
    );
  const { ledger: id, head, exportedAt: at, signedBy } = check;
  return {
    copy: {
      source: { ledger: id, head, at, signedBy },
      ...copiedTerms(ledger.terms ?? ""),
      sentence: version?.sentence ?? "",
      policy: ledger.policy === "auto" ? "auto" : "ask",
      lane: ledger.lane as Lane,
      charges,
    },
  };
}
