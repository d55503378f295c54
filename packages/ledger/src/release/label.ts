import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, rowWith } from "../stores/row.ts";
import { checkName, checkNote } from "../values/check.ts";
import { type By, type ChargeId, entryOf } from "../values/id.ts";
import type { Json } from "../values/json.ts";
import { chargeRow } from "./charge.ts";

/** Title and note of a release; null: none yet. */
export interface ReleaseLabel {
  readonly title: string | null;
  readonly note: string | null;
}

const UNLABELLED: ReleaseLabel = { title: null, note: null };

/** A title of 1 to 200 characters and a note of at most 2000; null takes it away, what is absent stays. */
export function labelRelease(
  context: Context,
  {
    charge: id,
    title,
    note,
    by,
  }: By & { readonly charge: ChargeId } & { [K in keyof ReleaseLabel]?: string | null | undefined },
): Promise<ReleaseLabel> {
  return change(context, async (tx, chain) => {
    const { entry_seq, ledger_id } = await chargeRow(tx.db, id);
    const before = (await rowWith(tx.db, "release_label", { entry_seq })) ?? UNLABELLED;
    const label = {
      title: title === undefined ? before.title : title === null ? null : checkName(title, "title"),
      note: note === undefined ? before.note : checkNote(note ?? "") || null,
    };
    if (label.title === before.title && label.note === before.note) return label;
    const row = { entry_seq, ...label, changed_at: context.store.now(), changed_by: by };
    await putRow(tx.db, "release_label", row, "entry_seq");
    // The words are in the row alone, which can be changed again; the line of the audit cannot.
    chain.append({
      actor: by,
      action: "release.label",
      ledger: ledger_id,
      detail: { charge: id },
      ...images.release_label(row),
    });
    return label;
  });
}

/** The most ids of one statement. */
const MAX_IDS = 500;
const slicesOf = (charges: readonly ChargeId[]): readonly (readonly ChargeId[])[] =>
  Array.from({ length: Math.ceil(charges.length / MAX_IDS) }, (_, at) =>
    charges.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
  );

/** The labels of some charges, by their ids; those without one are not among them. */
export async function labelsOf(
  { store: { read } }: Context,
  charges: readonly ChargeId[],
): Promise<ReadonlyMap<string, ReleaseLabel>> {
  const labels = new Map<string, ReleaseLabel>();
  for (const slice of slicesOf(charges)) {
    const bySeq = new Map(slice.map((id) => [entryOf(id) ?? 0n, id]));
    const rows = await read
      .selectFrom("release_label")
      .select(["entry_seq", "title", "note"])
      .where("entry_seq", "in", [...bySeq.keys()])
      .execute();
    for (const { entry_seq, title, note } of rows) labels.set(bySeq.get(entry_seq) ?? "", { title, note });
  }
  return labels;
}

/** The answers of those charges whose answers are stored in at most `longest` characters, by the charges' ids. */
export async function shortAnswers(
  { store: { read } }: Context,
  { charges, longest }: { readonly charges: readonly ChargeId[]; readonly longest: number },
): Promise<ReadonlyMap<string, Json>> {
  const answers = new Map<string, Json>();
  for (const slice of slicesOf(charges)) {
    const rows = await read
      .selectFrom("release")
      .select(["charge_id", "answers"])
      .where(
        "entry_seq",
        "in",
        slice.map((id) => entryOf(id) ?? 0n),
      )
      .where(({ fn }) => fn<number>("length", ["answers"]), "<=", longest)
      .execute();
    for (const row of rows) answers.set(row.charge_id, JSON.parse(row.answers) as Json);
  }
  return answers;
}
