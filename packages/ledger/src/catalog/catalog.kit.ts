import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, del, eps, pure, soon } from "../testing/fixture.kit.ts";
import type { PopulationId } from "../values/id.ts";
import type { Json } from "../values/json.ts";

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

    test("what a person declares over bytes that they saw checked is fitted, and so is every later version [M341]", async () => {
      const { database, dataset, ada } = await fixture();
      const { catalog } = database;
      const declare = (digest: string, who = by) =>
        catalog.createDataset({
          ...{ population: dataset.population, name: "visits", declaration: {}, source: { digest }, by: who },
        });
      const before = await declare("d1");
      for (const _ of [1, 2]) await catalog.markChecked({ by, file: "fil_1", digest: "d1" });
      expect(before.isFitted).toBe(false);
      expect((await catalog.dataset(before.id)).isFitted).toBe(false);
      expect((await declare("d1")).isFitted).toBe(true);
      expect((await declare("d2")).isFitted).toBe(false);
      expect((await declare("d1", ada.id)).isFitted).toBe(false);
      const version = (digest: string, who = by) =>
        catalog.addVersion({ dataset: before.id, declaration: {}, source: { digest }, by: who });
      expect((await version("d3")).isFitted).toBe(false);
      expect((await version("d1")).isFitted).toBe(true);
      expect((await version("d3", ada.id)).isFitted).toBe(true);
      expect((await catalog.datasetAt(before.id, 2)).isFitted).toBe(false);
      // A later version over the upload of someone who saw it checked meanwhile.
      const plain = await declare("d4", ada.id);
      await catalog.markChecked({ by: ada.id, file: "fil_4", digest: "d4" });
      const later = (digest: string) =>
        catalog.addVersion({ dataset: plain.id, declaration: {}, source: { digest }, by });
      expect([(await later("d5")).isFitted, (await later("d4")).isFitted]).toEqual([false, true]);
      // Rows that were appended are in other bytes: those of the upload that brought them, and of the version before, count.
      await catalog.markChecked({ by, file: "fil_1", digest: "more" });
      const appendedTo = async (first: string, ...more: readonly string[]) => {
        const { id } = await declare(first, ada.id);
        for (const [at, digest] of more.entries()) {
          const source = { digest: `${id} ${at}`, appended: { block: 1, isLonger: false, digest } };
          await catalog.addVersion({ dataset: id, declaration: {}, source, by: ada.id });
        }
        return async (digest = `${id} ${more.length - 1}`) =>
          (await catalog.addVersion({ dataset: id, declaration: {}, source: { digest }, by })).isFitted;
      };
      expect(await (await appendedTo("x", "more", "y"))()).toBe(true);
      expect(await (await appendedTo("d1", "x", "y"))()).toBe(true);
      expect(await (await appendedTo("x", "y"))()).toBe(false);
      expect(await (await appendedTo("d1", "more"))("other")).toBe(false);
      const lines = (await database.audit.lines({ action: "upload.check" })).items;
      expect(lines.map(({ subject, detail }) => [subject, detail])).toEqual([
        ["fil_1", {}],
        ["fil_4", {}],
        ["fil_1", {}],
        ["fil_1", {}],
      ]);
    });

    test("admins are notified once that released numbers refute a declaration, and who holds a cap is not [M385]", async () => {
      const { database, dataset, ledger, ada, bob } = await fixture();
      for (const { id } of [ada, bob])
        await database.people.grantRole({ principal: id, role: "datasetAdmin", object: dataset.id, by });
      const told = async ({ id }: typeof ada) =>
        (await database.outbox.notifications({ principal: id })).items.filter(({ kind }) => kind === "declaration")
          .length;
      const tell = (version: number, ...columns: string[]) =>
        database.catalog.tellRefuted({ dataset: dataset.id, version, columns });
      for (const _ of [1, 2]) await tell(1, "sex");
      expect([await told(ada), await told(bob)]).toEqual([1, 1]);
      await tell(1, "sex", "age");
      await tell(2, "sex");
      expect([await told(ada), await told(bob)]).toEqual([3, 3]);
      const cap = { ledger: ledger.id, parent: null, kind: "cap", epsilon: eps("0.1"), by } as const;
      await database.ledgers.openAccount({ ...cap, holder: { kind: "principal", id: bob.id } });
      await tell(3, "sex");
      expect([await told(ada), await told(bob)]).toEqual([4, 3]);
      const other = await database.people.createTeam({ name: "others", by });
      await database.people.addMember({ team: other.id, principal: ada.id, by });
      await database.ledgers.openAccount({ ...cap, holder: { kind: "team", id: other.id } });
      await tell(4, "sex");
      expect([await told(ada), await told(bob)]).toEqual([4, 3]);
      const before = (await database.audit.lines({})).items.length;
      await tell(5, "age");
      expect((await database.audit.lines({})).items.length).toBe(before);
    });

    test("of two versions that are made of the same one at once, the second is refused", async () => {
      const { database, dataset } = await fixture();
      const asked = { dataset: dataset.id, base: dataset.version, declaration: {}, source: { file: "g" }, by };
      const both = await Promise.allSettled([database.catalog.addVersion(asked), database.catalog.addVersion(asked)]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await codeOf(database.catalog.addVersion(asked))).toBe("CONFLICT");
      expect((await database.catalog.dataset(dataset.id)).version).toBe(dataset.version + 1);
    });

    test("a dataset whose connection was added, removed or replaced since its table was checked is refused", async () => {
      const { database, dataset } = await fixture();
      const { addConnection, removeConnection } = database.shared;
      const declare = (added: { readonly url: string; readonly at: string } | null) =>
        database.catalog.createDataset({
          ...{ population: dataset.population, name: "visits", declaration: {}, source: {}, by },
          through: { name: "clinic", added },
        });
      const asked = { by, name: "clinic", url: "one", secret: "reader", isRead: () => false, isSame: () => false };
      await declare(null);
      const { url, at } = await addConnection(asked);
      await declare({ url, at });
      for (const other of [null, { url: "another", at }, { url, at: "2020-01-01T00:00:00.000Z" }])
        expect(await codeOf(declare(other))).toBe("CONFLICT");
      await removeConnection({ by, name: "clinic", isRead: () => false });
      expect(await codeOf(declare({ url, at }))).toBe("CONFLICT");
      await declare(null);
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

    test("a ledger has the blocks that every dataset of its population declares, and no dataset with others comes to it [M165]", async () => {
      const { database, dataset } = await fixture();
      const { catalog, ledgers } = database;
      const monthly = { column: "seen", every: "month", zone: "Europe/Berlin" };
      const declared = (blocks: object | null, columns: object = {}) => ({
        ...{ declaration: { columns, ...(blocks === null ? {} : { blocks }) } as Json, source: {}, by },
      });
      const population = async (name: string): Promise<PopulationId> =>
        (await catalog.createPopulation({ name, privacyUnit: "person", adjacency: "addRemove", by })).id;
      const open = (id: PopulationId) => ledgers.open({ population: id, epsilon: eps("1"), delta: del("1e-6"), by });

      // A ledger without blocks keeps out what has some.
      const absent = 'declaration.blocks is "every month by the clocks of Europe/Berlin", must be absent';
      await expect(catalog.addVersion({ dataset: dataset.id, ...declared(monthly) })).rejects.toThrow(absent);
      const beside = { population: dataset.population, name: "beside", ...declared(monthly) };
      await expect(catalog.createDataset(beside)).rejects.toThrow(absent);

      // An earlier version without blocks can be no charge's, as it has no window.
      const people = await population("q");
      const visits = await catalog.createDataset({ population: people, name: "visits", ...declared(null) });
      await catalog.addVersion({ dataset: visits.id, ...declared(monthly) });
      const other = await catalog.createDataset({ population: people, name: "other", ...declared(null) });
      await expect(open(people)).rejects.toThrow("given in every dataset of the population, or in none");
      // The zone of a timestamp is that of its column.
      const stamped = { at: { type: "date", zone: "Europe/Berlin" } };
      await catalog.addVersion({ dataset: other.id, ...declared({ column: "at", every: "month" }, stamped) });
      expect((await ledgers.preview({ population: people, epsilon: eps("1"), delta: del("1e-6") })).blocks).toEqual({
        every: "month",
        zone: "Europe/Berlin",
      });
      const ledger = await open(people);
      expect(ledger.blocks).toEqual({ every: "month", zone: "Europe/Berlin" });
      expect(ledger.rule).toBe("addition");

      for (const [blocks, want] of [
        [null, "declaration.blocks is missing, must be every month by the clocks of Europe/Berlin, as in the ledger"],
        [{ ...monthly, every: "week" }, 'every week by the clocks of Europe/Berlin", must be every month'],
        [
          { ...monthly, zone: "UTC" },
          'every month by the clocks of UTC", must be every month by the clocks of Europe/B',
        ],
        [{ ...monthly, column: "left" }, "seen, as in every version of the dataset"],
      ] as const)
        await expect(catalog.addVersion({ dataset: visits.id, ...declared(blocks) }), want).rejects.toThrow(want);
      // Read as 03/04 or as 04/03 a record would lie in two blocks.
      const american = { seen: { type: "date", pattern: "MM/DD/YYYY" } };
      await expect(catalog.addVersion({ dataset: visits.id, ...declared(monthly, american) })).rejects.toThrow(
        "declaration.columns.seen is missing, must be read as in every version of the dataset",
      );
      const none = { population: people, name: "third", ...declared(null) };
      await expect(catalog.createDataset(none)).rejects.toThrow("as in the ledger");
      const third = await catalog.createDataset({ ...none, ...declared({ ...monthly, column: "left" }) });
      await catalog.addVersion({ dataset: visits.id, ...declared({ ...monthly, lag: 3 }) });
      expect(third.version).toBe(1);

      // Blocks that are closed by hand are never opened again, by two admins at once either; what closes is in the audit.
      const closing = (closed?: string) =>
        catalog.addVersion({ dataset: visits.id, ...declared({ ...monthly, closes: "by hand", closed }) });
      await closing();
      const { version } = await closing("2024-06");
      for (const earlier of ["2024-05", "2023-12", undefined])
        await expect(closing(earlier)).rejects.toThrow("2024-06 or later: what was closed stays closed");
      await catalog.addVersion({ dataset: visits.id, ...declared(monthly) });
      await expect(closing("2024-05")).rejects.toThrow("2024-06 or later");
      await closing("2024-06");
      await Promise.allSettled([closing("2024-09"), closing("2024-08")]);
      await expect(closing("2024-08")).rejects.toThrow("2024-09 or later");
      const { items } = await database.audit.lines({ subject: `${visits.id}.v${version}` });
      expect(items).toMatchObject([{ action: "dataset.declare", detail: { version, closed: "2024-06" } }]);

      // Earlier versions count where they have blocks.
      for (const [name, earlier, want] of [
        ["r", { ...monthly, every: "year" }, "as in every version of the population's datasets"],
        ["s", { ...monthly, column: "left" }, "as in every version of the dataset"],
      ] as const) {
        const id = await population(name);
        const made = await catalog.createDataset({ population: id, name, ...declared(earlier) });
        await catalog.addVersion({ dataset: made.id, ...declared(monthly) });
        await expect(open(id)).rejects.toThrow(want);
      }

      // Where the newest declarations have none, a ledger is opened for the whole.
      const whole = await population("t");
      const made = await catalog.createDataset({ population: whole, name: "t", ...declared(monthly) });
      await catalog.addVersion({ dataset: made.id, ...declared(null, { blocks: { type: "text" } }) });
      expect((await open(whole)).blocks).toBeNull();
    });

    test("cohorts are read from one table: a ledger of cohorts has one dataset, which reads dates and people as before [M170]", async () => {
      const { database } = await fixture();
      const { catalog, ledgers } = database;
      const cohorts = { protects: "person", column: "seen", every: "year", zone: "UTC" };
      const declared = (
        blocks: object | null,
        { columns = {}, source = {} }: { columns?: object; source?: object } = {},
      ) => ({
        declaration: {
          ...{ columns: { seen: { type: "date" }, who: { type: "text" }, ...columns }, source },
          ...{ privacyUnit: { column: "who" }, ...(blocks === null ? {} : { blocks }) },
        } as Json,
        ...{ source: {}, by },
      });
      const open = (id: PopulationId) => ledgers.open({ population: id, epsilon: eps("1"), delta: del("1e-6"), by });
      const population = async (name: string): Promise<PopulationId> =>
        (await catalog.createPopulation({ name, privacyUnit: "patient", adjacency: "addRemove", by })).id;

      const one = await population("one");
      const visits = await catalog.createDataset({ population: one, name: "visits", ...declared(cohorts) });
      const ledger = await open(one);
      expect(ledger.blocks).toEqual({ every: "year", zone: "UTC", protects: "person" });
      expect(ledger.sentence).toContain("it holds when any one patient is added or removed, even if everyone who asks");
      expect(ledger.sentence).toContain(
        "It holds as long as the source does not rewrite anyone's cohort, which is the year of their least date; one patient who has been in k cohorts has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 1 and δ = 0.000001 of each cohort.",
      );
      const only = "must be absent where a population has several datasets";
      const stays = catalog.createDataset({ population: one, name: "stays", ...declared(cohorts) });
      await expect(stays).rejects.toThrow(only);
      const { protects: _, ...yearly } = cohorts;
      const version = (...given: Parameters<typeof declared>) =>
        catalog.addVersion({ dataset: visits.id, ...declared(...given) });
      await expect(version(yearly)).rejects.toThrow(
        "must be people by the year of their least date by the clocks of UTC",
      );
      await expect(version(null)).rejects.toThrow("as in the ledger");
      await expect(version({ ...cohorts, column: "born" })).rejects.toThrow("seen, as in every version of the dataset");
      // A date that is missing from now on, or people who are one from now on, would give another least date.
      for (const more of [
        { columns: { seen: { type: "date", missing: ["1900-01-01"] } } },
        { columns: { who: { type: "integer" } } },
        { columns: { who: { type: "text", categories: [1, 2] } } },
        { source: { csv: "visits.csv", missing: ["1900-01-01"] } },
      ])
        await expect(version(cohorts, more)).rejects.toThrow("it says which block a person lies in");
      await version({ ...cohorts, lag: 3 }, { source: { csv: "visits.csv", missing: ["NA"] } });
      const byHand = { ...cohorts, closes: "by hand" };
      await version({ ...byHand, closed: "2023" });
      await expect(version(byHand)).rejects.toThrow("2023 or later: what was closed stays closed");

      const two = await population("two");
      await catalog.createDataset({ population: two, name: "a", ...declared(cohorts) });
      await catalog.createDataset({ population: two, name: "b", ...declared(cohorts) });
      await expect(open(two)).rejects.toThrow(only);
      const mixed = await population("mixed");
      const before = await catalog.createDataset({ population: mixed, name: "c", ...declared(yearly) });
      await catalog.addVersion({ dataset: before.id, ...declared(cohorts) });
      await expect(open(mixed)).rejects.toThrow("as in every version of the population's datasets");
      expect((await database.audit.verify()).problems).toEqual([]);
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
      expect(raised.sentence).toContain("(2.5, 0.000001)-DP, which holds whatever happens before a raise past it");
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

    test("uploads are not erased while a charge about these people waits, unless it is given up", async () => {
      const { database, dataset, charge } = await fixture();
      const { charge: waiting } = await charge("k", pure("0.5"));
      const erase = (given: string) =>
        database.catalog.eraseUploads({ dataset: dataset.id, isGivenUp: ({ id }) => id === given, by });
      expect(await codeOf(erase("none"))).toBe("CONFLICT");
      expect(await erase(waiting.id)).toEqual(["f"]);
    });

    test("nothing is charged for an upload once its erasure is written, also by a request that was quoted before", async () => {
      const { database, dataset, ada, adas } = await fixture();
      const charge = (key: string, ...uploads: readonly string[]) =>
        codeOf(
          database.ledgers.charge({
            principal: ada.id,
            account: adas.id,
            dataset: dataset.id,
            key,
            request: { plan: key },
            events: pure("0.1"),
            uploads,
            adjacency: "addRemove",
            lease: { owner: "test", seconds: 60 },
          }),
        );
      const erase = (isGivenUp = false) =>
        codeOf(database.catalog.eraseUploads({ dataset: dataset.id, isGivenUp: () => isGivenUp, by }));
      const both = [
        ["done", "DATA_UNREADABLE"],
        ["CONFLICT", "done"],
      ];
      expect(both, "whichever came first").toContainEqual(await Promise.all([erase(), charge("meanwhile", "f", "g")]));
      expect([await erase(true), await charge("after", "g", "f"), await charge("other", "g")]).toEqual([
        "done",
        "DATA_UNREADABLE",
        "done",
      ]);
    });

    test("no version is made from one whose upload was erased meanwhile: it would bring the rows back", async () => {
      const { database, dataset } = await fixture();
      const { catalog } = database;
      const made = (file: string, base?: number) =>
        codeOf(catalog.addVersion({ dataset: dataset.id, declaration: {}, source: { file }, base, by }));
      const erase = () => catalog.eraseUploads({ dataset: dataset.id, isGivenUp: () => false, by });
      expect(await made("longer", 1)).toBe("done");
      expect((await erase()).toSorted()).toEqual(["f", "longer"]);
      expect(await made("longest", 2)).toBe("CONFLICT");
      expect(await catalog.dataset(dataset.id)).toMatchObject({ version: 2, source: { file: "longer" } });
      expect([await made("other rows"), await made("more of them", 3)], "brought since").toEqual(["done", "done"]);
      const both = [
        [["more of them", "other rows"], "CONFLICT"],
        [["more of them", "other rows", "raced"], "done"],
      ];
      const [erased, raced] = await Promise.all([erase(), made("raced", 4)]);
      const since = erased.filter((file) => file !== "f" && file !== "longer").toSorted();
      expect(both, "whichever came first").toContainEqual([since, raced]);
    });

    test("a table is declared over an upload before it is erased, and then it stays, or not at all", async () => {
      const { database, dataset } = await fixture();
      const { catalog } = database;
      const declare = (file: string) =>
        codeOf(
          catalog.createDataset({ population: dataset.population, name: file, declaration: {}, source: { file }, by }),
        );
      const unread = (file: string) => catalog.eraseUnread({ file, dataset: dataset.id });
      expect([await unread("one"), await declare("one")]).toEqual([true, "CONFLICT"]);
      expect([await declare("two"), await unread("two"), await declare("two")]).toEqual(["done", false, "done"]);
      const both = await Promise.all([declare("raced"), unread("raced")]);
      expect([
        ["done", false],
        ["CONFLICT", true],
      ]).toContainEqual(both);
      await catalog.addVersion({ dataset: dataset.id, declaration: {}, source: { file: "mine" }, by });
      const erase = () => catalog.eraseUploads({ dataset: dataset.id, isGivenUp: () => false, by });
      const [files, again] = await Promise.all([erase(), declare("mine")]);
      expect([
        [true, "CONFLICT"],
        [false, "done"],
      ]).toContainEqual([files.includes("mine"), again]);
    });

    test("an upload is discarded before a table is declared over it, and then none is, or not at all", async () => {
      const { database, dataset } = await fixture();
      const { catalog } = database;
      const declare = (file: string) =>
        codeOf(
          catalog.createDataset({ population: dataset.population, name: file, declaration: {}, source: { file }, by }),
        );
      const discard = (file: string) => catalog.discardUpload({ file });
      expect([await discard("gone"), await declare("gone"), await discard("gone")]).toEqual([true, "CONFLICT", true]);
      const version = catalog.addVersion({ dataset: dataset.id, declaration: {}, source: { file: "gone" }, by });
      expect(await codeOf(version)).toBe("CONFLICT");
      expect([await declare("kept"), await discard("kept")]).toEqual(["done", false]);
      expect([
        ["done", false],
        ["CONFLICT", true],
      ]).toContainEqual(await Promise.all([declare("contested"), discard("contested")]));
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
