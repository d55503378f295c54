import { expect, test } from "vitest";
import { askToReopen, type Build, by, codeOf, del, eps, type Fixture, pure } from "../testing/fixture.kit.ts";
import type { Checkpoint } from "../verify/checkpoint.ts";

/** Who may open a ledger that may have forgotten charges. */
export function reopenKit(fixture: Build): void {
  const reopening = ({ ledger: { id: ledger } }: Fixture, epsilon: string) => {
    return { ledger, epsilon: eps(epsilon), delta: del("0"), reason: "restored" };
  };
  const checkpointOf = async ({ database }: Fixture): Promise<Checkpoint> => {
    const kept = await database.audit.checkpoint();
    if (kept === null) throw new RangeError("no line");
    return kept;
  };
  const statusOf = async ({ database, ledger }: Fixture) => (await database.ledgers.ledger(ledger.id)).status;

  test("one person opens no ledger that may have forgotten charges, also where no one else has the right; two who give the same amounts do", async () => {
    const built = await fixture({ rule: "addition" });
    const { database, ledger, ada, dataset } = built;
    await database.people.grantRole({ principal: ada.id, role: "datasetAdmin", object: dataset.id, by });
    const kept = await checkpointOf(built);
    const newer = { ...kept, seq: String(BigInt(kept.seq) + 1n), hash: "0".repeat(64) };
    for (const restore of [() => database.audit.freezeUnvouched(), () => database.audit.compareCheckpoint(newer)]) {
      await restore();
      const alone = () => database.ledgers.reopenLedger({ ...reopening(built, "0"), by: ada.id });
      expect([(await alone()).status, (await alone()).status]).toEqual(["frozen", "frozen"]);
      expect(await codeOf(database.ledgers.setLedger({ ledger: ledger.id, status: "open", by: ada.id }))).toBe(
        "CONFLICT",
      );
      expect((await askToReopen(database, reopening(built, "0"))).status).toBe("open");
    }
    expect((await checkpointOf(built)).isUnproven).toBeUndefined();
  });

  test("what its own witness says when it is asked is enough, written off; what another one says, or of another database, proves nothing", async () => {
    const built = await fixture({ rule: "addition" });
    const { database, charge, ledger } = built;
    await database.audit.nameWitness("its key");
    await charge("a", pure("0.1"));
    const kept = await checkpointOf(built);
    await database.audit.freezeUnvouched();
    expect((await checkpointOf(built)).isUnproven).toBe(true);
    // One that is named now would be the copy's own.
    await database.audit.nameWitness("the copy's key");
    expect(await database.audit.isItsWitness("the copy's key")).toBe(false);
    const sums = kept.ledgers[ledger.id];
    if (sums === undefined) throw new RangeError("no sums");
    const later = {
      ...{ ...kept, seq: String(BigInt(kept.seq) + 100n), hash: "0".repeat(64) },
      ledgers: { [ledger.id]: { ...sums, epsilon: String(eps("0.4")) } },
    };
    const open = (epsilon: string, witness: { readonly kept: Checkpoint; readonly signedBy: string }) =>
      database.ledgers.reopenLedger({ ...reopening(built, epsilon), by, witness });
    for (const proves of [
      { kept, signedBy: "the copy's key" },
      { kept: { ...kept, books: "0".repeat(64) }, signedBy: "its key" },
      { kept: { ...kept, ledgers: {} }, signedBy: "its key" },
    ])
      expect((await open("0", proves)).status).toBe("frozen");
    const itsOwn = { kept: later, signedBy: "its key" };
    expect(await codeOf(open("0.29", itsOwn))).toBe("INVALID_PARAMETER");
    expect((await open("0.3", itsOwn)).state.epsilon).toBe(eps("0.4"));
    expect(await statusOf(built)).toBe("open");
    // It has the newest line that the witness keeps: nothing is missing.
    const newest = await checkpointOf(built);
    await database.audit.freezeUnvouched();
    expect((await open("0", { kept: newest, signedBy: "its key" })).status).toBe("open");
    const { items } = await database.audit.lines({ action: "ledger.reopen", limit: 1 });
    expect(items[0]?.detail).toMatchObject({ witness: { line: newest.seq, hash: newest.hash } });
  });
}
