import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import {
  buildFixture,
  clientOf,
  countPlan,
  csvBytes,
  type Fixture,
  openTestInstance,
  withoutRows,
} from "../instance.kit.ts";

let place: string;
let fixture: Fixture;
beforeEach(async () => {
  place = temporaryFolder();
  fixture = await buildFixture(await openTestInstance({ folder: place }));
});

/** More rows than there are, as a stranger may declare them: the answers appear after a quarter of an hour. As people they would be refused. */
async function longRelease(name: string, assumed?: number): Promise<string> {
  const { as, people } = fixture;
  const { id: file } = await as.stranger.uploadFile({
    name: `${name}.csv`,
    content: csvBytes(`p,x\n1,${name.length}\n`),
  });
  const { id: dataset } = await as.stranger.createDataset({
    file,
    declaration: {
      name,
      source: { csv: `${name}.csv` },
      adjacency: "addRemove",
      ...(assumed === undefined
        ? { privacyUnit: "row", size: { assumed: 2 ** 40 } }
        : { privacyUnit: { column: "p" }, contribution: { rows: 1 }, size: { assumed } }),
      columns: { p: { type: "integer", provenance: "public" } },
    },
  });
  const { id: ledger } = await as.stranger.openLedger({ dataset, epsilon: "1", delta: "1e-6" });
  const holder = { kind: "person", id: people.stranger } as const;
  const { id: account } = await as.stranger.createAccount({ ledger, holder, epsilon: "1" });
  return (await as.stranger.createRelease({ dataset, account, plan: countPlan() }, { idempotencyKey: name })).id;
}

test("releases that take long leave room for others, while they run, while the server stops, and after it starts again", async () => {
  const names = ["a", "bb", "ccc"];
  const long: string[] = [];
  for (const name of names) long.push(await longRelease(name));
  const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.01") });
  const stages = async (client: Fixture["as"]["stranger"]) =>
    Promise.all(long.map(async (release) => (await client.showRelease({ release, wait: 0 })).stage));
  expect((await fixture.as.member.releaseAndWait(asked())).stage).toBe("done");
  expect(await stages(fixture.as.stranger)).toEqual(["measuring", "queued", "queued"]);

  // One that was charged and not measured, as by a server that was killed.
  await withoutRows(place, async () => {
    const left = fixture.as.member.releaseAndWait(asked(), { idempotencyKey: "left" });
    await expect(left).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });

  const stopping = performance.now();
  await fixture.instance.close();
  expect(performance.now() - stopping, "the server stops").toBeLessThan(60_000);
  const instance = await openTestInstance({ folder: place });
  const member = clientOf(instance, fixture.tokens.member);
  expect((await member.releaseAndWait(asked(), { idempotencyKey: "left" })).stage).toBe("done");
  expect((await member.releaseAndWait(asked())).stage).toBe("done");
  const again = await stages(clientOf(instance, fixture.tokens.stranger));
  expect(again.filter((stage) => stage === "measuring")).toHaveLength(1);
  expect(again).not.toContain("done");
  await instance.close();
});

test("releases that take some seconds leave a place for one that is brief by its declared size", async () => {
  const some: string[] = [];
  for (const name of ["d", "ee", "fff"]) some.push(await longRelease(name, 3_000_000));
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.01") };
  expect((await fixture.as.member.releaseAndWait(asked)).stage).toBe("done");
  const stages = some.map(async (release) => (await fixture.as.stranger.showRelease({ release, wait: 0 })).stage);
  expect(await Promise.all(stages)).toEqual(["measuring", "queued", "queued"]); // each bounds more than half of what memory holds
  await fixture.instance.close();
});
