import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, del, eps, pure, soon } from "../testing/fixture.kit.ts";

export function catalogKit(town: Build): void {
  describe("catalog", () => {
    test("a dataset keeps its ledger and its salt through every version [I14]", async () => {
      const { books, dataset, ledger } = await town();
      const next = await books.catalog.addVersion({
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
      const twin = await books.catalog.createDataset({
        population: dataset.population,
        name: "visits",
        declaration: {},
        source: {},
        by,
      });
      expect((await books.ledgers.ledgerOf(twin.population))?.id).toBe(ledger.id);
      expect(await books.catalog.datasetsOf(dataset.population)).toHaveLength(2);
      expect((await books.catalog.dataset(twin.id)).name).toBe("visits");
    });

    test("a population has one ledger, for ever", async () => {
      const { books, dataset } = await town();
      const second = books.ledgers.open({
        population: dataset.population,
        epsilon: eps("1"),
        delta: del("0"),
        rule: "addition",
        by,
      });
      expect(await codeOf(second)).toBe("CONFLICT");
    });

    test("a ceiling is declared at opening, at least the lifetime, and the sentence says so", async () => {
      const { books, ledger } = await town();
      expect(ledger.ceiling).toEqual(ledger.quota);
      expect(ledger.sentence).not.toContain("ceiling");
      const other = await books.catalog.createPopulation({ name: "q", privacyUnit: "row", adjacency: "replace", by });
      const open = (epsilon: string) =>
        books.ledgers.open({
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
      const { books } = await town();
      const nobody = "usr_0000000000000000" as never;
      const asks = [
        books.people.principal("x"),
        books.people.team("x"),
        books.people.members(nobody),
        books.people.addMember({ team: nobody, principal: nobody, by }),
        books.people.createCredential({ kind: "token", principal: nobody, expiresAt: soon(), by }),
        books.people.revokeRole({ binding: "x", by }),
        books.catalog.dataset("x"),
        books.catalog.population("x"),
        books.catalog.createDataset({ population: nobody, name: "n", declaration: {}, source: {}, by }),
        books.ledgers.ledger("x"),
        books.ledgers.account("x"),
        books.ledgers.free(nobody),
        books.ledgers.balances(nobody),
        books.ledgers.quote({ account: nobody, events: pure("1") }),
        books.ledgers.switchRule({ ledger: nobody, by }),
        books.releases.charge("x"),
        books.releases.release("x"),
        books.releases.complete({ charge: nobody, owner: "o", answers: 1 }),
        books.releases.claim({ charge: nobody, lease: { owner: "o", seconds: 1 } }),
      ];
      expect(await Promise.all(asks.map(codeOf))).toEqual(asks.map(() => "NOT_FOUND"));
    });
  });
}
