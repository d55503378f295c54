import { answer } from "@dosimeter/client/wire";
import { statistics } from "@dosimeter/query";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorld, openTestHouse, type World } from "./house.kit.ts";

let world: World;
beforeAll(async () => {
  world = await buildWorld(await openTestHouse());
});
afterAll(() => world.house.close());

test("every row of the table of statistics is quoted, charged, released and on the wire as declared", async () => {
  const requests = Object.entries(statistics).map(([statistic, { column }]) => ({
    statistic: statistic as keyof typeof statistics,
    epsilon: "0.01",
    ...(column === "none" ? {} : { column: "age" }),
  }));
  const asked = { dataset: world.dataset, account: world.memberAccount, plan: { statistics: requests } };
  const quote = await world.as.member.quotePlan(asked);
  expect(quote.refusal).toBeNull();
  const release = await world.as.member.releaseAndWait(asked);
  expect(release.answers?.map(({ statistic }) => statistic)).toEqual(Object.keys(statistics));
  for (const each of release.answers ?? []) answer.parse(each);
  expect(release.receipt).toMatchObject({ epsilon: String(requests.length / 100) });
});
