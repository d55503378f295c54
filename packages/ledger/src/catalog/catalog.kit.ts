import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, del, eps, pure, soon } from "../testing/fixture.kit.ts";

export function catalogKit(fixture: Build): void {
  describe("catalog", () => {
    test("a dataset keeps its ledger and its salt through every version [I14]", async () => {
      const { database, dataset, ledger } = await fixture();
      const next = await database.catalog.addVersion({
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
      const twin = await database.catalog.createDataset({
        population: dataset.population,
        name: "visits",
        declaration: {},
        source: {},
        by,
      });
      expect((await database.ledgers.ledgerOf(twin.population))?.id).toBe(ledger.id);
      expect(await database.catalog.datasetsOf(dataset.population)).toHaveLength(2);
      expect((await database.catalog.dataset(twin.id)).name).toBe("visits");
    });

    test("versions are found by a text in their source, whatever signs it has", async () => {
      const { database, dataset } = await fixture();
      const places = ["a%b", "a_b", "a!b", 'a"b', "a\\b", "axb"];
      const known = { dataset: dataset.id, declaration: {}, by };
      for (const digest of places) await database.catalog.addVersion({ ...known, source: { digest } });
      for (const digest of places)
        expect(await database.catalog.sourcesWith(digest)).toEqual([
          { id: dataset.id, name: dataset.name, population: dataset.population, source: { digest } },
        ]);
      expect(await database.catalog.sourcesWith("b%a")).toEqual([]);
    });

    test("a population has one ledger, which never changes", async () => {
      const { database, dataset } = await fixture();
      const second = database.ledgers.open({
        population: dataset.population,
        epsilon: eps("1"),
        delta: del("0"),
        rule: "addition",
        by,
      });
      expect(await codeOf(second)).toBe("CONFLICT");
    });

    test("no ledger is opened where a version of a dataset has blocks, and no dataset with blocks comes to a ledger", async () => {
      const { database, dataset } = await fixture();
      const { catalog, ledgers } = database;
      const blocked = { declaration: { name: "visits", blocks: { column: "seen", every: "month" } }, source: {}, by };
      const given = "declaration.blocks is {";
      await expect(catalog.addVersion({ dataset: dataset.id, ...blocked })).rejects.toThrow(given);
      const beside = { population: dataset.population, name: "beside", ...blocked };
      await expect(catalog.createDataset(beside)).rejects.toThrow(given);
      const other = await catalog.createPopulation({ name: "q", privacyUnit: "row", adjacency: "addRemove", by });
      const terms = { population: other.id, epsilon: eps("1"), delta: del("1e-6"), by };
      const visits = await catalog.createDataset({ population: other.id, name: "visits", ...blocked });
      await expect(ledgers.preview(terms)).rejects.toThrow(given);
      await expect(ledgers.open(terms)).rejects.toThrow(given);
      // Version 1 can still be asked about.
      await catalog.addVersion({ dataset: visits.id, declaration: { name: "visits" }, source: {}, by });
      await expect(ledgers.open(terms)).rejects.toThrow(given);
      const words = await catalog.createPopulation({ name: "r", privacyUnit: "row", adjacency: "addRemove", by });
      const declaration = { columns: { blocks: { type: "text" } } };
      await catalog.createDataset({ population: words.id, name: "words", declaration, source: {}, by });
      expect((await ledgers.open({ ...terms, population: words.id })).population).toBe(words.id);
    });

    test("a ceiling is declared at opening, at least the lifetime, and the sentence says so", async () => {
      const { database, ledger } = await fixture();
      expect(ledger.ceiling).toEqual(ledger.quota);
      expect(ledger.sentence).not.toContain("ceiling");
      const other = await database.catalog.createPopulation({
        name: "q",
        privacyUnit: "row",
        adjacency: "replace",
        by,
      });
      const open = (epsilon: string) =>
        database.ledgers.open({
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

    test("a dataset is listed once its admin says so and its ledger is open; what is not named stays", async () => {
      const { database, dataset } = await fixture();
      const { catalog } = database;
      expect(await catalog.listed()).toEqual([]);
      await catalog.setListing({ dataset: dataset.id, isListed: true, description: " Pay ", by });
      await catalog.setListing({ dataset: dataset.id, showsColumns: true, by });
      const listing = { isListed: true, showsColumns: true, description: "Pay" };
      expect(await catalog.listing(dataset.id)).toEqual(listing);
      const { id, name, population, createdAt } = dataset;
      expect(await catalog.listed()).toEqual([{ id, name, population, createdAt, ...listing }]);
      const other = await catalog.createPopulation({ name: "q", privacyUnit: "row", adjacency: "replace", by });
      const twin = { population: other.id, name: "visits", declaration: {}, source: {}, by };
      const { id: unopened } = await catalog.createDataset(twin);
      await catalog.setListing({ dataset: unopened, isListed: true, by });
      await catalog.setListing({ dataset: dataset.id, isListed: false, by });
      expect(await catalog.listed()).toEqual([]);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("unknown ids are NOT_FOUND everywhere", async () => {
      const { database } = await fixture();
      const nobody = "usr_0000000000000000" as never;
      const asks = [
        database.people.principal("x"),
        database.people.team("x"),
        database.people.setLinksAdmit({ team: nobody, linksAdmit: "newcomers", by }),
        database.catalog.setListing({ dataset: nobody, isListed: true, by }),
        database.people.members(nobody),
        database.people.addMember({ team: nobody, principal: nobody, by }),
        database.people.createCredential({ kind: "token", principal: nobody, expiresAt: soon(), by }),
        database.people.revokeRole({ binding: "x", by }),
        database.catalog.dataset("x"),
        database.catalog.population("x"),
        database.catalog.createDataset({ population: nobody, name: "n", declaration: {}, source: {}, by }),
        database.ledgers.ledger("x"),
        database.ledgers.account("x"),
        database.ledgers.free(nobody),
        database.ledgers.balance(nobody),
        database.ledgers.quote({ account: nobody, events: pure("1") }),
        database.ledgers.switchRule({ ledger: nobody, by }),
        database.releases.chargeOf("x"),
        database.releases.releaseOf(nobody),
        database.releases.complete({ charge: nobody, owner: "o", answers: 1 }),
        database.releases.claim({ charge: nobody, lease: { owner: "o", seconds: 1 } }),
      ];
      expect(await Promise.all(asks.map(codeOf))).toEqual(asks.map(() => "NOT_FOUND"));
    });
  });
}
