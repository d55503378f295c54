import { cutsOf, type Range, rangeOf, windowOf } from "./blocks.ts";
import type { Vouched } from "./chain.ts";
import { type Row, sha256 } from "./export.ts";
import type { Report } from "./report.ts";

/** The blocks that charges are about. */
export interface Windows {
  /** The stored rows of an entry, by its number in the database. */
  readonly pieces: ReadonlyMap<string | null | undefined, readonly Row[]>;
  rangesOf(entry: Row): readonly Range[];
  /** Where the stretches begin that no row of the export cuts. */
  readonly cuts: readonly number[];
}

export interface WindowRows {
  readonly entries: readonly Row[];
  readonly pieces: readonly Row[];
  /** What nodes have counted in their blocks. */
  readonly runs: readonly Row[];
  /** The blocks from before there were any. */
  readonly earlier: readonly Range[];
}

/** Reads which blocks each charge names: those that its request has the hash of or, where there is no request, those that the audit says. */
export async function windowsOf(rows: WindowRows, vouched: Vouched, report: Report): Promise<Windows> {
  const pieces = Map.groupBy(rows.pieces, ({ entry_seq }) => entry_seq);
  const ranges = new Map<string | null | undefined, readonly Range[]>();
  const known = new Set<string | null | undefined>();
  for (const entry of rows.entries) {
    if (entry.kind !== "charge" && entry.kind !== "writeOff") continue;
    const say = (problem: string) => report(`entry ${entry.number}`, problem);
    const named = pieces.get(entry.seq) ?? [];
    const window = windowOf(
      named.flatMap((piece) => rangeOf(piece, say) ?? []),
      say,
    );
    known.add(entry.seq);
    ranges.set(entry.seq, window);
    const text = JSON.stringify(window.map(({ from, to }) => [from, to]));
    if (entry.kind === "charge") {
      if (entry.request_hash !== (await sha256(lineOf(entry, window.length === 0 ? "" : `,${text}`))))
        say("has another request, or names other blocks, than was charged");
    } else if (text !== JSON.stringify(vouched.windows.get(entry.hash ?? "") ?? []))
      say("names other blocks than its audit line");
  }
  for (const seq of pieces.keys()) if (!known.has(seq)) report(`blocks of entry ${seq}`, "belong to no charge");
  const all = [...rows.pieces, ...rows.runs].flatMap((row) => rangeOf(row, () => undefined) ?? []);
  return { pieces, rangesOf: ({ seq }) => ranges.get(seq) ?? [], cuts: cutsOf([...rows.earlier, ...all]) };
}

const lineOf = ({ account_id, dataset_id, request }: Row, blocks: string): string =>
  `[${JSON.stringify(account_id)},${JSON.stringify(dataset_id)},${request}${blocks}]`;
