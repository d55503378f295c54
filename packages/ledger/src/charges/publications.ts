import {
  admit,
  type DeltaAmount,
  type EpsilonAmount,
  formatDelta,
  formatEpsilon,
  formatMu2,
  invalid,
  type Mu2Amount,
  type Price,
  PrivacyError,
} from "@dosimeter/core";
import { canonicalJson } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { appendEntry, publicationHash } from "../ledger/entry.ts";
import { type Ledger, ledgerRow, sentenceOf, toLedger } from "../ledger/ledger.ts";
import { admissionTermsOf, nodeOf, stateColumns } from "../ledger/node.ts";
import { refusalOf } from "../ledger/refusal.ts";
import { freezeRow } from "../restore/restore-gap.ts";
import { rowWith } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { usedKey } from "../values/check.ts";
import { checkDeclared, type Declared, statedIn } from "../values/declared.ts";
import type { LedgerId } from "../values/id.ts";
import { refuseBlocks } from "../values/terms.ts";
import { countedOn } from "./counted-on.ts";

/** What was published before its ledger was opened, or without it. */
export interface Publication extends Declared {
  readonly key: string;
  readonly published: NonNullable<Declared["published"]>;
}

export interface Imported {
  readonly ledger: Ledger;
  readonly imported: number;
  /** Known from an earlier import, by their keys. */
  readonly repeated: number;
  /** What does not fit, where that froze the ledger. */
  readonly over: string | null;
}

const MAX_ROWS = 1000;

/**
 * Counts on a ledger, and on no account, what was spent before it or without it, each once by its key. What does not fit freezes it as over its
 * lifetime: it opens once it is raised and that is written off. [M391] CONFLICT on a ledger that is frozen or has blocks.
 */
export async function importPublications(
  context: Context,
  { ledger: id, rows, by }: By & { readonly ledger: LedgerId; readonly rows: readonly Publication[] },
): Promise<Imported> {
  if (rows.length === 0 || rows.length > MAX_ROWS) invalid("rows", `${rows.length}`, `1 to ${MAX_ROWS}`);
  const before = await ledgerRow({ db: context.store.read }, id);
  refuseBlocks(before.terms, "here each publication is charged to an account, with the blocks that it is about");
  const lines: Line[] = [];
  for (const [index, row] of rows.entries()) lines.push(await lineOf(context, before, row, index));
  return change(context, async (tx, chain) => {
    let row = await ledgerRow(tx, id);
    if (row.status !== "open") throw new PrivacyError("CONFLICT", { name: "ledger", got: row.status, want: "open" });
    const missing = { ...NOTHING };
    let [imported, repeated] = [0, 0];
    for (const { key, events, text, hash } of lines) {
      const known = await rowWith(tx.db, "entry", { principal_id: by, key });
      if (known !== undefined && known.request_hash !== hash) throw usedKey(key);
      if (known !== undefined) {
        repeated += 1;
        continue;
      }
      const decision = admit(admissionTermsOf(row), [nodeOf(row)], events);
      const [state] = decision.admitted ? decision.states : [];
      if (!decision.admitted || state === undefined) {
        if (decision.admitted || isUnpriced(decision.price))
          throw decision.admitted ? new PrivacyError("INTERNAL") : refusalOf(row, [row], decision);
        add(missing, decision.price);
        continue;
      }
      const { activeRule, price } = decision;
      const entry = await appendEntry(context, tx, row, {
        ...{
          kind: "writeOff",
          principal_id: by,
          active_rule: activeRule,
          events,
          price,
          remaining_mu2_after: state.mu2,
        },
        ...{ key, request: text, request_hash: hash },
      });
      row = { ...row, ...stateColumns(state), active_rule: activeRule, entries: entry.number, head_hash: entry.hash };
      const detail = { entry: Number(entry.number), entryHash: entry.hash, key };
      chain.append({ actor: by, action: "ledger.publication", subject: id, ledger: id, detail });
      imported += 1;
    }
    const { active_rule, state_epsilon, state_delta, state_remaining_mu2, entries, head_hash } = row;
    const set = { active_rule, state_epsilon, state_delta, state_remaining_mu2, entries, head_hash };
    await tx.db.updateTable("ledger").set(set).where("id", "=", id).execute();
    const over = overText(missing);
    if (over !== null) row = await freezeRow({ tx, chain }, row, { by, reason: over, missing });
    return { ledger: toLedger(row, await sentenceOf(tx, row)), imported, repeated, over };
  });
}

interface Line {
  readonly key: string;
  readonly events: Awaited<ReturnType<typeof countedOn>>["events"];
  readonly text: string;
  readonly hash: string;
}

async function lineOf(
  context: Context,
  ledger: Tables["ledger"],
  { key, ...given }: Publication,
  index: number,
): Promise<Line> {
  try {
    if (key.length < 1 || key.length > 200) invalid("key", key.length, "1 to 200 characters");
    const declared = checkDeclared(given);
    if (declared.published === undefined || declared.published.on > context.store.now().slice(0, 10))
      invalid("published.on", declared.published?.on, "a day that has come");
    const { events } = await countedOn(context, declared, { ledger, room: ledger.cap_delta });
    const text = canonicalJson(statedIn(declared));
    return { key, events, text, hash: publicationHash(context, ledger.id, text) };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    const { name, ...facts } = error.details;
    throw new PrivacyError(error.code, { ...facts, name: `rows[${index}]${name === undefined ? "" : `.${name}`}` });
  }
}

interface Missing {
  epsilon: EpsilonAmount;
  delta: DeltaAmount;
  mu2: Mu2Amount;
  readonly activeRule: null;
  readonly later: null;
  readonly through: null;
}

const NOTHING: Missing = {
  epsilon: 0n as EpsilonAmount,
  delta: 0n as DeltaAmount,
  mu2: 0n as Mu2Amount,
  activeRule: null,
  later: null,
  through: null,
};

const isUnpriced = ({ epsilon, mu2 }: Price): boolean => epsilon === null && mu2 === null;

function add(missing: Missing, { epsilon, delta, mu2 }: Price): void {
  missing.epsilon = (missing.epsilon + (epsilon ?? 0n)) as EpsilonAmount;
  missing.delta = (missing.delta + delta) as DeltaAmount;
  for (const step of mu2 ?? []) if (step.kind === "subtract") missing.mu2 = (missing.mu2 + step.cost) as Mu2Amount;
}

function overText({ epsilon, delta, mu2 }: Missing): string | null {
  if (epsilon + delta + mu2 === 0n) return null;
  const parts = [
    ...(epsilon > 0n ? [`ε = ${formatEpsilon(epsilon)}`] : []),
    ...(delta > 0n ? [`δ = ${formatDelta(delta)}`] : []),
    ...(mu2 > 0n ? [`μ² = ${formatMu2(mu2)}`] : []),
  ];
  return `over its lifetime: of what was published before, ${parts.join(", ")} does not fit`;
}
