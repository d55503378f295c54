import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, del, eps, pure, soon } from "../testing/fixture.kit.ts";

export function catalogKit(fixture: Build): void {
  describe("catalog", () => {
    test("a dataset keeps its ledger and its salt through every version [I14]", async () => {
      const { ledgerDatabase, dataset, ledger } = await fixture();
      const next = await ledgerDatabase.catalog.addVersion({
        dataset: dataset.id,
        declaration: { columns: { age: {} } },
        source: { file: "g" },
        by,
      });
      expect(next).toMatchObject({
        id: dataset.id,
        version: 2,
        salt: dataset.salt,
        declaration: { columns: { age: {} } },
        source: { file: "g" },
      });
      const twin = await ledgerDatabase.catalog.createDataset({
        population: dataset.population,
        name: "visits",
        declaration: {},
        source: {},
        by,
      });
      expect((await ledgerDatabase.ledgers.ledgerOf(twin.population))?.id).toBe(ledger.id);
      expect(await ledgerDatabase.catalog.datasetsOf(dataset.population)).toHaveLength(2);
      expect((await ledgerDatabase.catalog.dataset(twin.id)).name).toBe("visits");
    });

    test("a population has one ledger, for ever", async () => {
      const { ledgerDatabase, dataset } = await fixture();
      const second = ledgerDatabase.ledgers.open({
        population: dataset.population,
        epsilon: eps("1"),
        delta: del("0"),
        rule: "addition",
        by,
      });
      expect(await codeOf(second)).toBe("CONFLICT");
    });

    test("a ceiling is declared at opening, at least the lifetime, and the sentence says so", async () => {
      const { ledgerDatabase, ledger } = await fixture();
      expect(ledger.ceiling).toEqual(ledger.quota);
      expect(ledger.sentence).not.toContain("ceiling");
      const other = await ledgerDatabase.catalog.createPopulation({
        name: "q",
        privacyUnit: "row",
        adjacency: "replace",
        by,
      });
      const open = (epsilon: string) =>
        ledgerDatabase.ledgers.open({
          population: other.id,
          epsilon: eps("1"),
          delta: del("1e-6"),
          ceiling: { epsilon: eps(epsilon), delta: del("1e-6") },
          by,
        });
      expect(await codeOf(open("0.9"))).toBe("INVALID_PARAMETER");
      const raised = await open("2.5");
      expect(raised.ceiling).toEqual({ epsilon: eps("2.5"), delta: del("1e-6") });
      expect(raised.sentence).toContain("(2.5, 0.000001)-DP; only that is unconditional");
    });

    test("unknown ids are NOT_FOUND everywhere", async () => {
      const { ledgerDatabase } = await fixture();
      const nobody = "usr_0000000000000000" as never;
      const asks = [
        ledgerDatabase.people.principal("x"),
        ledgerDatabase.people.team("x"),
        ledgerDatabase.people.members(nobody),
        ledgerDatabase.people.addMember({ team: nobody, principal: nobody, by }),
        ledgerDatabase.people.createCredential({ kind: "token", principal: nobody, expiresAt: soon(), by }),
        ledgerDatabase.people.revokeRole({ binding: "x", by }),
        ledgerDatabase.catalog.dataset("x"),
        ledgerDatabase.catalog.population("x"),
        ledgerDatabase.catalog.createDataset({ population: nobody, name: "n", declaration: {}, source: {}, by }),
        ledgerDatabase.ledgers.ledger("x"),
        ledgerDatabase.ledgers.account("x"),
        ledgerDatabase.ledgers.free(nobody),
        ledgerDatabase.ledgers.balances(nobody),
        ledgerDatabase.ledgers.quote({ account: nobody, events: pure("1") }),
        ledgerDatabase.ledgers.switchRule({ ledger: nobody, by }),
        ledgerDatabase.releases.charge("x"),
        ledgerDatabase.releases.release("x"),
        ledgerDatabase.releases.complete({ charge: nobody, owner: "o", answers: 1 }),
        ledgerDatabase.releases.claim({ charge: nobody, lease: { owner: "o", seconds: 1 } }),
      ];
      expect(await Promise.all(asks.map(codeOf))).toEqual(asks.map(() => "NOT_FOUND"));
    });
  });
}
