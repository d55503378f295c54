import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { buildFixture, clientOf, countPlan, openTestInstance } from "../instance.kit.ts";

const fixture = fixtureOf();

test("a person reads what their agent released, and not the other way round", async () => {
  const { instance, as, people, ledger, team, teamAccount, memberAccount, dataset } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const { id: agent } = await operator.createPerson({ name: "hers", kind: "agent", onBehalfOf: people.member });
  const { secret } = await operator.createServiceToken({ person: agent, name: "mcp", scopes: ["read", "release"] });
  await as.teamAdmin.addMember({ team, person: agent });
  const { id: account } = await as.teamAdmin.createAccount({
    ledger,
    parent: teamAccount,
    holder: { kind: "person", id: agent },
    epsilon: "0.2",
  });
  const hers = clientOf(instance, secret);
  const asked = await hers.releaseAndWait({ dataset, account, plan: countPlan("0.05") });
  const own = await as.member.releaseAndWait({ dataset, account: memberAccount, plan: countPlan("0.06") });

  const seen = async (who: typeof hers) => (await who.listReleases({})).items.map(({ id }) => id);
  expect(await seen(as.member)).toEqual([own.id, asked.id]);
  const shown = await as.member.showRelease({ release: asked.id });
  expect(shown).toMatchObject({ byName: "hers", byKind: "agent", epsilon: "0.05", answers: asked.answers });
  expect(await seen(hers)).toEqual([asked.id]);
  await expect(hers.showRelease({ release: own.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await seen(as.stranger)).toEqual([]);
  await expect(as.stranger.showRelease({ release: asked.id })).rejects.toMatchObject({ code: "NOT_FOUND" });

  // Who no longer sees the ledger reads neither.
  await as.teamAdmin.removeMember({ team, person: people.member });
  await expect(as.member.showRelease({ release: asked.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("where platform admins alone open teams, others are refused and their profile says so before; what they have stays theirs", async () => {
  const folder = temporaryFolder();
  const before = await buildFixture(await openTestInstance({ folder }));
  expect(await before.as.teamAdmin.me()).toMatchObject({ opensTeams: true });
  await before.instance.close();

  const instance = await openTestInstance({ folder, teams: "admins" });
  const as = (who: "teamAdmin" | "platformAdmin") => clientOf(instance, before.tokens[who]);
  expect(await as("teamAdmin").me()).toMatchObject({ opensTeams: false });
  await expect(as("teamAdmin").createTeam({ name: "side door" })).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await as("teamAdmin").setTeam({ team: before.team, linksAdmit: "known" })).toMatchObject({
    linksAdmit: "known",
  });
  expect(await as("platformAdmin").me()).toMatchObject({ opensTeams: true });
  expect(await as("platformAdmin").createTeam({ name: "front door" })).toMatchObject({ name: "front door" });
  await instance.close();
});
