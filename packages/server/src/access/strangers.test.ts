import { createClient } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import {
  buildFixture,
  clientOf,
  countPlan,
  csvBytes,
  declaration,
  ORIGIN,
  openTestInstance,
  tokenFor,
} from "../instance.kit.ts";
import { serve } from "../serve.ts";
import { createLog } from "../telemetry/log.ts";
import { counted, usualRates } from "./rates.ts";

const codeOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "done",
    (error: unknown) => (error instanceof PrivacyError ? error.code : String(error)),
  );

const fixture = fixtureOf();

test("a failure to authenticate counts for the address it comes from, with any header, and keeps no one else out", async () => {
  const instance = await openTestInstance({
    publicUrl: ORIGIN,
    rates: { ...usualRates, anonymous: { burst: 5, perMinute: 1e-3 } },
  });
  onTestFinished(() => instance.close());
  const tries = [
    {},
    { authorization: "Bearer dsm_wrong" },
    { authorization: "Basic x" },
    { cookie: "dosimeter=dss_wrong" },
  ];
  for (const headers of tries) {
    const from = `198.51.100.${tries.indexOf(headers)}`;
    const send = async (path: string, extra = {}) => {
      const given = { ...headers, "x-forwarded-for": from, ...extra } as Record<string, string>;
      return (await instance.fetch(new Request(`${ORIGIN}/v1/${path}`, { headers: given }))).status;
    };
    const seen: number[] = [];
    for (let n = 0; n < 8; n += 1) seen.push(await send(n % 2 === 0 ? "me" : "session/ways"));
    expect(seen, JSON.stringify(headers)).toEqual([401, 200, 401, 200, 401, 429, 429, 429]);
    expect(await send("me", { authorization: `Bearer ${instance.operatorToken}` }), "who is let in").toBe(200);
  }
});

test("a forwarded address that is none is not one: who sends another text each time has one address", async () => {
  const rates = { ...usualRates, anonymous: { burst: 5, perMinute: 1e-3 } };
  const folder = temporaryFolder();
  const log = createLog("silent");
  const serving = await serve({ folder, log, publicUrl: ORIGIN, rates, port: 0, drainSeconds: 0, webRoot: null });
  onTestFinished(() => serving.close());
  const seen: number[] = [];
  for (const from of ["local", "local", "a", "b", "::g", "1.2.3", "203.0.113.9:5"])
    seen.push((await fetch(`http://${serving.listens}/v1/me`, { headers: { "x-forwarded-for": from } })).status);
  expect(seen).toEqual([401, 401, 401, 401, 401, 429, 429]);
});

test("who asks too often is refused after a pause, also at addresses that do not exist, so that a flood costs little", async () => {
  const rates = { ...usualRates, anonymous: { burst: 1, perMinute: 1e-3 } };
  const instance = await openTestInstance({ publicUrl: ORIGIN, rates });
  onTestFinished(() => instance.close());
  const headers = { "x-forwarded-for": "198.51.100.9" };
  const send = async (path: string) => (await instance.fetch(new Request(`${ORIGIN}/v1/${path}`, { headers }))).status;
  expect(await send("session/ways")).toBe(200);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const path of ["session/ways", "nowhere"]) {
    let answered = 0;
    const asked = send(path).then((status) => {
      answered = status;
    });
    while (vi.getTimerCount() === 0 && answered === 0) await new Promise((resume) => setImmediate(resume));
    expect(answered).toBe(0);
    await vi.runAllTimersAsync();
    await asked;
    expect(answered).toBe(429);
  }
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:0:1::9", "2001:db8:0:1::/64"],
  ["2001:0DB8::1:2:3:4:5", "2001:db8:0:1::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["local", "local"],
])("%s counts as %s", (address, as) => expect(counted(address)).toBe(as));

test("whether an address is known does not show in the time of an answer: nothing is looked up before it", async () => {
  const instance = await openTestInstance({ mail: { url: "smtp://127.0.0.1:1", from: "a@example.org" } });
  onTestFinished(() => instance.close());
  await clientOf(instance, instance.operatorToken).createPerson({ name: "Lin", email: "lin@example.org" });
  const before = await instance.database.outbox.backlog();
  await clientOf(instance, "").requestSignInLink({ email: "lin@example.org" });
  expect(await instance.database.outbox.backlog()).toBe(before);
  await instance.settled();
  expect(await instance.database.outbox.backlog()).toBeGreaterThan(before);
});

test("links never take the Host header of a request where the server knows its own address", async () => {
  const instance = await openTestInstance();
  onTestFinished(() => instance.close());
  const forged = createClient({
    url: "http://evil.test",
    fetch: instance.fetch,
    token: instance.operatorToken,
  });
  await instance.publish("http://localhost:8123");
  const { id: person } = await forged.createPerson({ name: "Ana" });
  const { id: team } = await forged.createTeam({ name: "t" });
  const links = [
    (await forged.createSignInLink({ person })).url,
    (await forged.invite({ team })).url,
    ...(await forged.signInWays({})).providers.map(({ url }) => url),
  ];
  for (const link of links) expect(link).toMatch(/^http:\/\/localhost:8123\//);
});

test("what a declaration gets wrong is said without the path of the file on the server", async () => {
  const { as, instance } = fixture;
  const { folder } = instance as typeof instance & { folder: string };
  const { id: file } = await as.datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes() });
  for (const source of [
    { csv: "a", duckdb: "x.duckdb", table: "t" },
    { csv: "a", table: "t" },
    { csv: "a", delimiter: "x" },
    { csv: "a", missing: "x" },
    { parquet: "a", nothing: 1 },
    { csv: "a", postgres: { connection: "c", table: "t" } },
  ]) {
    const asked = as.datasetAdmin.createDataset({
      file,
      name: "paths",
      declaration: { ...declaration, source } as never,
    });
    const refusal = (await asked.catch((error: unknown) => error)) as PrivacyError;
    expect(refusal).toBeInstanceOf(PrivacyError);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain(folder);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain(file);
  }
});

test("a lead cannot raise their own account, in any way, where people may not decide for themselves", async () => {
  const { as, people, ledger, teamAccount, memberAccount, instance } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const holder = { kind: "person", id: people.teamAdmin } as const;
  expect(await codeOf(as.teamAdmin.createAccount({ ledger, parent: teamAccount, holder, epsilon: "0.1" }))).toBe(
    "FORBIDDEN",
  );
  const { id: account } = await as.datasetAdmin.createAccount({ ledger, parent: teamAccount, holder, epsilon: "0.1" });
  const { id: agent } = await operator.createPerson({ name: "hers", kind: "agent", onBehalfOf: people.teamAdmin });
  await operator.addMember({ team: fixture.team, person: agent });
  const asAgent = { kind: "person", id: agent } as const;
  await as.datasetAdmin.freezeAccount({ account });
  expect(await codeOf(as.teamAdmin.unfreezeAccount({ account }))).toBe("FORBIDDEN");
  await as.datasetAdmin.unfreezeAccount({ account });
  for (const raise of [
    () => as.teamAdmin.allocateQuota({ account, epsilon: "0.1" }),
    () => as.teamAdmin.transferQuota({ account: memberAccount, to: account, epsilon: "0.1" }),
    () => as.teamAdmin.createAccount({ ledger, parent: teamAccount, holder: asAgent, epsilon: "0.1" }),
    () => as.teamAdmin.setAccount({ account, queryEpsilon: null }),
  ])
    expect(await codeOf(raise()), String(raise)).toBe("FORBIDDEN");
  expect((await as.teamAdmin.showAccount({ account })).quota?.epsilon).toBe("0.1");
  expect(await codeOf(as.teamAdmin.withdrawQuota({ account, epsilon: "0.05" })), "less is always possible").toBe(
    "done",
  );
  expect(await codeOf(as.datasetAdmin.allocateQuota({ account, epsilon: "0.05" })), "another may").toBe("done");
  expect(await codeOf(as.teamAdmin.allocateQuota({ account: memberAccount, epsilon: "0.01" }))).toBe("done");
});

test("a cap, which binds its holder wherever they read, is opened by admins of the dataset alone", async () => {
  const { as, people, ledger, teamAccount, memberAccount } = fixture;
  const { id: trap } = await as.teamAdmin.createTeam({ name: "trap" });
  await as.teamAdmin.addMember({ team: trap, person: people.member });
  for (const holder of [
    { kind: "team", id: trap },
    { kind: "person", id: people.member },
  ] as const) {
    const cap = { ledger, parent: teamAccount, holder, epsilon: "0.001", kind: "cap" } as const;
    expect(await codeOf(as.teamAdmin.createAccount(cap))).toBe("FORBIDDEN");
  }
  expect(
    await codeOf(as.member.quotePlan({ dataset: fixture.dataset, account: memberAccount, plan: countPlan() })),
  ).toBe("done");
});

test("standing approvals of a team are shown to those who see its account", async () => {
  const { as, people, ledger, teamAccount } = fixture;
  const { id: team } = await as.stranger.createTeam({ name: "others" });
  const holder = { kind: "team", id: team } as const;
  const { id: theirs } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "0.1" });
  const room = { ledger, most: "1e-9", room: "1e-9" };
  const { id: hidden } = await as.teamAdmin.createStandingApproval({ ...room, parent: teamAccount });
  const { id: shown } = await as.stranger.createStandingApproval({ ...room, parent: theirs });
  const seen = async (who: "stranger" | "teamAdmin" | "datasetAdmin") =>
    (await as[who].listStandingApprovals({ ledger })).items
      .map(({ id }) => id)
      .filter((id) => id === hidden || id === shown);
  expect(await seen("stranger")).toEqual([shown]);
  expect(await seen("teamAdmin")).toEqual([hidden]);
  expect((await seen("datasetAdmin")).toSorted()).toEqual([hidden, shown].toSorted());
  expect(await codeOf(as.stranger.endStandingApproval({ approval: hidden })), people.stranger).toBe("NOT_FOUND");
});

test("what costs the server much, or writes to someone, has a rate", async () => {
  const rates = {
    ...usualRates,
    invite: { burst: 3, perMinute: 1e-3 },
    quote: { burst: 2, perMinute: 1e-3 },
  };
  const {
    as,
    people,
    dataset,
    ledger,
    memberAccount: account,
    instance,
  } = await buildFixture(await openTestInstance({ rates }));
  onTestFinished(() => instance.close());
  const { id: team } = await as.stranger.createTeam({ name: "read this" });
  const added: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    added.push(await codeOf(as.stranger.addMember({ team, person: people.member })));
    await codeOf(as.stranger.removeMember({ team, person: people.member }));
  }
  expect(added).toEqual(["done", "done", "done", "RATE_LIMITED"]);
  // 2,000 cells weigh two quotes, whether the plan is quoted or released.
  const statistics = [{ id: "ages", statistic: "histogram", column: "salary", bins: 2_000, epsilon: "0.001" }];
  const release = (key: string) =>
    codeOf(
      as.member.createRelease(
        { dataset, account, plan: { statistics } as never, reuse: { ages: "nothing" } },
        { idempotencyKey: key },
      ),
    );
  const tried = [await release("a"), await release("b")];
  expect(tried, ledger).toEqual(["CONFLICT", "RATE_LIMITED"]);
});

test("who is removed from a team reads nothing any more that membership let them read", async () => {
  const { as, dataset, ledger, teamAccount, team, instance } = fixture;
  const { id: person } = await clientOf(instance, instance.operatorToken).createPerson({ name: "Leaver" });
  await as.teamAdmin.addMember({ team, person });
  const holder = { kind: "person", id: person } as const;
  const { id: account } = await as.teamAdmin.createAccount({ ledger, parent: teamAccount, holder, epsilon: "0.1" });
  const purpose = { kind: "purpose", name: "thesis" } as const;
  const leaver = clientOf(instance, await tokenFor(instance, person));
  const { id: release } = await leaver.releaseAndWait({ dataset, account, plan: countPlan("0.01") });
  const { id: below } = await leaver.createAccount({ ledger, parent: account, holder: purpose, epsilon: "0.01" });
  const reads = {
    dataset: () => leaver.showDataset({ dataset }),
    versions: () => leaver.listVersions({ dataset }),
    ledger: () => leaver.showLedger({ ledger }),
    entries: () => leaver.listEntries({ ledger }),
    account: () => leaver.showAccount({ account }),
    purpose: () => leaver.showAccount({ account: below }),
    report: () => leaver.reportAccount({ account }),
    release: () => leaver.showRelease({ release }),
    released: () => leaver.listReleased({ dataset }),
    quote: () => leaver.quotePlan({ dataset, account: below, plan: countPlan("0.001") }),
  };
  const all = async () => Promise.all(Object.values(reads).map((read) => codeOf(read())));
  const lists = async () => [
    (await leaver.listDatasets({})).items.length,
    (await leaver.listMyAccounts({})).items.length,
    (await leaver.listReleases({})).items.length,
    (await leaver.search({ text: "staff" })).items.filter(({ kind }) => kind === "dataset").length,
  ];
  const inside = Object.keys(reads).map(() => "done");
  expect(await all()).toEqual(inside);
  expect(await lists()).toEqual([1, 1, 1, 1]);
  await as.teamAdmin.removeMember({ team, person });
  expect(await all()).toEqual(inside.map(() => "NOT_FOUND"));
  expect(await lists()).toEqual([0, 0, 0, 0]);
  await as.teamAdmin.addMember({ team, person });
  expect(await all(), "and again when they are back").toEqual(inside);
});
