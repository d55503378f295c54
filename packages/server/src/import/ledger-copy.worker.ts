import { type ActiveRule, deltaFromUnits, epsilonFromUnits, mu2FromUnits, parseEvent } from "@dosimeter/core";
import { planAccountant } from "@dosimeter/core/derive";
import {
  type CopiedCharge,
  copiedTerms,
  declaredIn,
  type Json,
  type LedgerCopy,
  programOf,
  unpaidIn,
} from "@dosimeter/ledger";
import { checkExport, type Row, readExport } from "@dosimeter/verify";
import { serveThread } from "../threads/serve-thread.ts";
import type { ExportToRead, Reading } from "./ledger-copy.ts";

serveThread(async (asked: ExportToRead): Promise<Reading> => {
  try {
    return await readingOf(asked);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "it cannot be read" };
  }
});

async function readingOf({ text, key }: ExportToRead): Promise<Reading> {
  const check = await checkExport(text, { signedBy: key, accountant: planAccountant() });
  const { signedBy } = check;
  if (signedBy === null) return { problem: "it is not signed" };
  if (signedBy !== key)
    return { problem: `it is signed by ${signedBy}: ask its owner for that key, and name it if it is theirs` };
  const [problem] = check.problems;
  if (problem !== undefined) return { problem: `${problem.where} ${problem.problem}` };
  const { tables, audit } = await readExport(text);
  const rows = (table: string): readonly Row[] => tables.get(table) ?? [];
  const ledger = rows("ledger")[0] ?? {};
  const [population = {}] = rows("population");
  const [threshold] = rows("report_threshold");
  const past = audit.find(({ action }) => action === "ledger.import");
  const before = JSON.parse(past?.detail ?? "{}") as Partial<Pick<LedgerCopy, "origins" | "versions">>;
  const frozen = audit.findLast(({ action }) => action === "ledger.freeze" || action === "ledger.reopen");
  if (unpaidIn(frozen?.detail) !== null)
    return {
      problem: "what was published before is not counted: raise the ledger and import that again, then export it",
    };
  const quotes = Map.groupBy(rows("plan_quote"), ({ entry_seq }) => entry_seq);
  const pieces = Map.groupBy(rows("charge_block"), ({ entry_seq }) => entry_seq);
  const outside = firstOfPrograms(check.ledger);
  const charges = rows("entry")
    .filter(({ kind }) => kind === "charge" || kind === "writeOff")
    .map(
      ({ seq, events, active_rule: activeRule, ...row }): CopiedCharge => ({
        declared: outside(row),
        events: (JSON.parse(events ?? "[]") as unknown[]).map((event) => parseEvent(event)),
        activeRule: activeRule as ActiveRule,
        quotes: (quotes.get(seq ?? "") ?? []).map((row) => ({
          before: mu2FromUnits(row.remaining_mu2_before ?? ""),
          after: mu2FromUnits(row.remaining_mu2_after ?? ""),
          slack: deltaFromUnits(row.slack ?? ""),
        })),
        window: windowOf(pieces.get(seq ?? "") ?? []),
      }),
    );
  const { ledger: id, head, exportedAt: at } = check;
  const own = versionsOf(rows("guarantee_version"), rows("entry"));
  return {
    copy: {
      source: { ledger: id, head, at, signedBy },
      origins: [{ ledger: id, entry: ledger.head_hash ?? "" }, ...(before.origins ?? [])],
      population: {
        name: population.name ?? "",
        privacyUnit: population.privacy_unit ?? "",
        adjacency: population.adjacency as LedgerCopy["population"]["adjacency"],
        unit: population.unit as LedgerCopy["population"]["unit"],
      },
      isFitted: check.isFitted,
      ...copiedTerms(ledger.terms ?? ""),
      // the copy starts from the source's last version
      versions: before.versions === undefined ? own : [...before.versions, ...own.slice(1)],
      sentence: rows("guarantee_version").at(-1)?.sentence ?? "",
      policy: ledger.policy === "auto" ? "auto" : "ask",
      activeRule: ledger.active_rule as ActiveRule,
      charges,
      threshold: threshold?.epsilon == null ? null : epsilonFromUnits(threshold.epsilon),
    },
  };
}

/** Of the first charge of each program outside what it declared, under a key that no other line has. */
function firstOfPrograms(ledger: string) {
  const seen = new Set<string>();
  return ({ request, kind, key, principal_id, number }: Row): CopiedCharge["declared"] => {
    if (request == null || key == null || declaredIn(JSON.parse(request) as Json) === null) return undefined;
    const at = JSON.stringify([kind, principal_id, kind === "charge" ? programOf(key) : key]);
    if (seen.has(at)) return undefined;
    seen.add(at);
    return { key: `${ledger}/${number}`, text: request };
  };
}

/** The blocks of a charge: its rows are cut where they found different states. */
function windowOf(pieces: readonly Row[]): CopiedCharge["window"] {
  const ranges: { from: number; to: number }[] = [];
  for (const { block_from, block_to } of pieces) {
    const [from, to] = [Number(block_from), Number(block_to)];
    const last = ranges.at(-1);
    if (last?.to === from - 1) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Each version, and whether a charge came before the line that made it. */
function versionsOf(versions: readonly Row[], entries: readonly Row[]): LedgerCopy["versions"] {
  const made = entries.flatMap(({ kind }, index) => (kind === "open" || kind === "amend" ? [index] : []));
  return versions.map(({ terms }, index) => ({
    terms: terms ?? "",
    answersSeen: entries.slice(0, made[index]).some(({ kind }) => kind === "charge" || kind === "writeOff"),
  }));
}
