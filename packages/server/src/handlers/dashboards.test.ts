import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { countPlan } from "../instance.kit.ts";

const fixture = fixtureOf();
const released = async () => {
  const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.05") };
  return (await fixture.as.member.releaseAndWait(asked)).id;
};

test("a dashboard shows each reader what they may read, in its order, and nothing of the rest", async () => {
  const { as, people, team } = fixture;
  const [first, second] = [await released(), await released()];
  const items = [first, second].map((id) => ({ kind: "release" as const, id }));
  const { id: dashboard } = await as.member.saveDashboard({ name: "Board", parts: items, readers: [people.stranger] });
  const mine = await as.member.showDashboard({ dashboard });
  expect(mine.parts.map(({ state, release }) => [state, release?.id])).toEqual([
    ["shown", first],
    ["shown", second],
  ]);
  expect(mine.parts[0]?.release).toEqual(await as.member.showRelease({ release: first }));
  const theirs = await as.stranger.showDashboard({ dashboard });
  expect(theirs.parts).toEqual(
    [1, 2].map(() => ({ kind: "release", id: null, state: "notYours", name: null, from: null, release: null })),
  );
  expect(JSON.stringify(theirs)).not.toContain(first);
  expect(theirs).toMatchObject({ isMine: false, readers: [], ownerName: "member" });

  await expect(as.teamAdmin.showDashboard({ dashboard })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await as.member.changeDashboard({ dashboard, team, readers: [], parts: items.toReversed() });
  const leads = await as.teamAdmin.showDashboard({ dashboard });
  expect(leads.parts.map(({ from }) => from)).toEqual([second, first]);
  await expect(as.stranger.showDashboard({ dashboard })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await as.stranger.listDashboards({})).items).toEqual([]);
  expect((await as.teamAdmin.listDashboards({})).items).toMatchObject([
    { id: dashboard, name: "Board", isMine: false },
  ]);
  for (const change of [{ name: "Mine" }, { parts: [] }])
    await expect(as.teamAdmin.changeDashboard({ dashboard, ...change })).rejects.toMatchObject({ code: "FORBIDDEN" });
  // What is added must be one's own to read, whether it exists or not.
  for (const id of [first, "chg_0000000000000000000a"])
    await expect(as.stranger.saveDashboard({ name: "x", parts: [{ kind: "release", id }] })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  await as.member.deleteDashboard({ dashboard });
  await expect(as.member.showDashboard({ dashboard })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("opening it counts against no cap: what would is left to the page of its release", async () => {
  const { as, people, ledger, team } = fixture;
  const release = await released();
  const items = [{ kind: "release", id: release }] as const;
  const { id: dashboard } = await as.member.saveDashboard({ name: "Board", parts: items, team });
  const holder = { kind: "person", id: people.teamAdmin } as const;
  const { id: cap } = await as.datasetAdmin.createAccount({ ledger, holder, kind: "cap", epsilon: "0.2" });
  const spent = async () => (await as.teamAdmin.showAccount({ account: cap })).balance;
  const before = await spent();
  const { parts: seen } = await as.teamAdmin.showDashboard({ dashboard });
  expect(seen).toMatchObject([{ state: "counts", from: release, release: null }]);
  expect(await spent()).toEqual(before);
  await as.teamAdmin.showRelease({ release });
  expect(await spent()).not.toEqual(before);
  expect((await as.teamAdmin.showDashboard({ dashboard })).parts).toMatchObject([{ state: "shown" }]);
});
