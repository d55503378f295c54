import { expect, test } from "vitest";
import { buildFixture, clientOf, openTestInstance, temporaryFolder } from "../instance.kit.ts";

test("where platform admins alone open teams, others are refused and their profile says so before; what they have stays theirs", async () => {
  const { folder, remove } = await temporaryFolder();
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
  await remove();
});
