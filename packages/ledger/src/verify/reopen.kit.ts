import { expect, test } from "vitest";
import {
  askToReopen,
  type Build,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  gaussian,
  pure,
  reopenByTwo,
} from "../testing/fixture.kit.ts";
import type { Checkpoint } from "./checkpoint.ts";

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
    // Also while nothing is missing: else one person would name their own before they restore.
    await database.audit.nameWitness("a later key");
    expect(await database.audit.isItsWitness("its key")).toBe(true);
    expect(await database.audit.isItsWitness("a later key")).toBe(false);
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
      { kept: { ...(await checkpointOf(await fixture())), ledgers: kept.ledgers }, signedBy: "its key" },
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
    // A line of this copy, sent by an operator with the server's secret, with sums that the witness lets no one lower.
    const spent = { [ledger.id]: { ...sums, epsilon: String(eps("0.5")) } };
    const forged = { kept: { ...newest, ledgers: spent }, signedBy: "its key" };
    expect(await codeOf(open("0", forged))).toBe("INVALID_PARAMETER");
    expect((await open("0", { kept: await checkpointOf(built), signedBy: "its key" })).status).toBe("frozen");
    expect((await open("0", { kept: newest, signedBy: "its key" })).status).toBe("open");
    const { items } = await database.audit.lines({ action: "ledger.reopen", limit: 1 });
    expect(items[0]?.detail).toMatchObject({ witness: { line: newest.seq, hash: newest.hash } });
  });

  test("a raise that one person makes of a restored ledger lets no witness say what was spent before it", async () => {
    const built = await fixture({ rule: "tight" });
    const { database, ledger, charge } = built;
    await database.audit.nameWitness("its key");
    const older = await checkpointOf(built);
    await charge("a", pure("0.1"));
    await database.audit.freezeUnvouched();
    const { epsilon, delta } = (await database.ledgers.ledger(ledger.id)).terms;
    const twice = <A extends bigint>(amount: A) => (amount * 2n) as A;
    const raise = { epsilon: twice(epsilon), delta: twice(delta), reason: "more", by };
    await database.ledgers.proposeAmendment({ ledger: ledger.id, ...raise });
    const { version, state } = await database.ledgers.ledger(ledger.id);
    expect(version).toBe(2);
    const claimed = { ...older.ledgers[ledger.id], mu2: String(state.mu2), version: "2" };
    const kept = { ...older, ...{ seq: "999", hash: "0".repeat(64), ledgers: { [ledger.id]: claimed } } } as Checkpoint;
    const witness = { kept, signedBy: "its key" };
    expect((await database.ledgers.reopenLedger({ ...reopening(built, "0"), by, witness })).status).toBe("frozen");
  });

  test.each([
    ["addition", pure("0.1")],
    ["tight", gaussian("20")],
  ] as const)("what an audit stream has after the archive is missing at least, under %s", async (rule, events) => {
    const built = await fixture({ rule });
    const { database, charge, ledger } = built;
    const before = (await database.ledgers.ledger(ledger.id)).state;
    await charge("a", events);
    const after = (await database.ledgers.ledger(ledger.id)).state;
    const lines = await database.audit.linesAfter({ sequence: 0, limit: 500 });
    const charged = lines.find(({ action }) => action === "charge.create");
    if (charged === undefined) throw new RangeError("no charge");
    // Two more like it, which this database lacks; one of them was sent twice.
    const lost = [1, 2, 2].map((more) => ({ ...charged, sequence: lines.length + more, hash: `${more}`.repeat(64) }));
    await database.audit.freezeUnvouched();
    expect(await codeOf(database.audit.addStreamed(lost))).toBe("CONFLICT");
    expect(await database.audit.addStreamed([...lines, ...lost])).toEqual([
      { ledger: ledger.id, charges: 2, unpriced: 0 },
    ]);
    const open = (epsilon: string) => reopenByTwo(database, reopening(built, epsilon));
    expect(await codeOf(open(rule === "addition" ? "0.199" : "0.05"))).toBe("INVALID_PARAMETER");
    await open(rule === "addition" ? "0.2" : "0.3");
    const { state } = await database.ledgers.ledger(ledger.id);
    if (rule === "addition") expect(state.epsilon).toBe(eps("0.3"));
    else {
      const cost = BigInt(before.mu2 ?? 0n) - BigInt(after.mu2 ?? 0n);
      expect(state.mu2).toBeLessThanOrEqual(BigInt(before.mu2 ?? 0n) - 3n * cost);
    }
  });

  test("a charge whose line does not say what it took of μ² is counted by its ε, and said where it has none", async () => {
    const built = await fixture({ rule: "tight" });
    const { database, charge, ledger } = built;
    await charge("a", pure("0.1"));
    await charge("b", gaussian("20"));
    const lines = await database.audit.linesAfter({ sequence: 0, limit: 500 });
    const lost = lines
      .filter(({ action }) => action === "charge.create")
      .map((line, index) => {
        const { mu2: _, ...detail } = line.detail as Record<string, string>;
        return { ...line, detail, sequence: lines.length + 1 + index, hash: `${index}`.repeat(64) };
      });
    await database.audit.freezeUnvouched();
    expect(await database.audit.addStreamed([...lines, ...lost])).toEqual([
      { ledger: ledger.id, charges: 2, unpriced: 1 },
    ]);
    expect(await codeOf(reopenByTwo(database, reopening(built, "0.09")))).toBe("INVALID_PARAMETER");
    expect((await reopenByTwo(database, reopening(built, "0.1"))).status).toBe("open");
  });
}
