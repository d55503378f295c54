import { createHash } from "node:crypto";

const GENESIS = "0".repeat(64);
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

type Row = Record<string, string | null>;

/** What the hash of an entry is of. */
const ENTRY = [
  ...["prev_hash", "ledger_id", "number", "kind", "charge_id", "account_id", "principal_id", "dataset_id"],
  ...["active_rule", "events", "price_epsilon", "price_delta", "remaining_mu2_before", "remaining_mu2_after", "key"],
  ...["request_hash", "at"],
];

/** The request of a charge with its account, dataset and the runs of blocks that it debits. */
function requestOf({ account_id, dataset_id, request }: Row, pieces: readonly Row[]): string {
  const runs: [number, number][] = [];
  for (const { block_from, block_to } of pieces) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === Number(block_from)) run[1] = Number(block_to);
    else runs.push([Number(block_from), Number(block_to)]);
  }
  const blocks = runs.length === 0 ? "" : `,${JSON.stringify(runs)}`;
  return `[${JSON.stringify(account_id)},${JSON.stringify(dataset_id)},${request}${blocks}]`;
}

/** A line of an export: a row of a table, a line of the audit chain, or the head. */
interface Line {
  readonly table?: string;
  readonly row?: Row;
  readonly audit?: Row;
  head?: string;
}

/**
 * An export whose hashes fit what it says, as a forger would write it who signs it too: requests have theirs, and every entry and audit line
 * hangs on the one before.
 */
function sealed(lines: readonly Line[]): string {
  const rowsOf = (name: string) =>
    lines.flatMap(({ table, row }) => (table === name && row !== undefined ? [row] : []));
  const known = new Map<string, string>();
  const pieces = Map.groupBy(rowsOf("charge_block"), ({ entry_seq }) => String(entry_seq));
  let last = GENESIS;
  let number = 0;
  for (const entry of rowsOf("entry")) {
    const before = String(entry.hash);
    if (entry.kind === "charge") entry.request_hash = hashOf(requestOf(entry, pieces.get(String(entry.seq)) ?? []));
    Object.assign(entry, { number: String(++number), prev_hash: last });
    last = hashOf(JSON.stringify(ENTRY.map((column) => entry[column])));
    entry.hash = last;
    known.set(before, last);
  }
  for (const ledger of rowsOf("ledger")) Object.assign(ledger, { entries: String(number), head_hash: last });
  last = GENESIS;
  for (const { audit } of lines) {
    if (audit === undefined) continue;
    if (audit.action !== undefined)
      audit.detail = (audit.detail ?? "").replace(/[0-9a-f]{64}/g, (hash) => known.get(hash) ?? hash);
    const { at, actor, action, subject, detail, image, seq, ledger_id } = audit;
    const body =
      action === undefined ? audit.body : hashOf(JSON.stringify([at, actor, action, subject, detail, image]));
    audit.prev_hash = last;
    last = hashOf(JSON.stringify([last, seq, ledger_id, body]));
    audit.hash = last;
  }
  for (const line of lines) if (line.head !== undefined) line.head = last;
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

interface Request {
  readonly plan: { horizon?: number; window?: unknown };
  readonly window: { blocks: string[] };
  continues?: string[];
}

/** One of the steps of running totals in an export. */
interface Place {
  readonly lines: Line[];
  readonly steps: readonly Row[];
  readonly at: number;
}

const asked =
  (change: (request: Request) => void) =>
  (row: Row): void => {
    const request = JSON.parse(row.request ?? "") as Request;
    change(request);
    row.request = JSON.stringify(request);
  };

const paying =
  (change: (events: readonly object[]) => readonly object[]) =>
  (row: Row): void => {
    row.events = JSON.stringify(change(JSON.parse(row.events ?? "") as readonly object[]));
  };

const takenFrom =
  (name: "charge_id" | "events" | "account_id") =>
  (row: Row, { steps, at }: Place): void => {
    row[name] = steps.find((other) => other[name] !== steps[at]?.[name])?.[name] ?? null;
  };

/** After each of these a step has spent more than it says, or does not say what. */
const changes: Readonly<Record<string, (row: Row, place: Place) => void>> = {
  "has no id": (row) => {
    row.charge_id = null;
  },
  "has the id of another": takenFrom("charge_id"),
  "is of another account": takenFrom("account_id"),
  "has another's noise": takenFrom("events"),
  "is paid by a sample": paying((events) => events.map((event) => ({ kind: "poissonSampled", rate: "0.01", event }))),
  "pays nothing": paying(() => []),
  "goes on for longer": asked(({ plan }) => {
    plan.horizon = Number(plan.horizon) + 1;
  }),
  "is no step": asked((request) => {
    delete request.plan.horizon;
    delete request.continues;
  }),
  "reads another block": asked(({ window }) => void window.blocks.push("2029-01")),
  "goes on from another": asked((request) => {
    request.continues = ["chg_other", ...(request.continues ?? [])];
  }),
  "has a request that is no JSON": (row) => {
    row.request = `${row.request}}`;
  },
  "is gone": ({ seq }, { lines }) => {
    const isOther = ({ table, row }: Line) => !(table === "entry" ? row?.seq === seq : row?.entry_seq === seq);
    lines.splice(0, lines.length, ...lines.filter(isOther));
  },
};
export const changeNames = Object.keys(changes);

/** The steps of running totals, in order. */
const stepsOf = (lines: readonly Line[]): readonly Row[] =>
  lines.flatMap(({ table, row }) => (table === "entry" && row?.request?.includes('"horizon"') ? [row] : []));

/** The export after these changes of its steps, by their places. */
export function forged(text: string, made: readonly (readonly [at: number, change: string])[]): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const steps = stepsOf(lines);
  for (const name of changeNames)
    for (const [at, change] of made) if (change === name) changes[name]?.(steps[at] ?? {}, { lines, steps, at });
  return sealed(lines);
}
