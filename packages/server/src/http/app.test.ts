import { routes } from "@dosimeter/client/routes";
import { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { refused } from "../../../../test/refusal.kit.ts";
import { fixtureOf, instanceOfTest } from "../fixture.kit.ts";
import { CSV, clientOf, countPlan, csvBytes, declaration, ORIGIN, unhurried } from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";

const lines: string[] = [];
const fixture = fixtureOf(() => ({ log: createLog("info", (line) => lines.push(line)) }));

const plan = countPlan();
const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan });

const raw = (path: string, init: RequestInit = {}) =>
  fixture.instance.fetch(
    new Request(`${ORIGIN}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${fixture.tokens.member}`, ...init.headers },
    }),
  );
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  raw(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

test("a quote costs nothing, a release falls by exactly the quoted cost, and reading again is free", async () => {
  const { member } = fixture.as;
  const before = await member.showAccount({ account: fixture.memberAccount });
  const quote = await member.quotePlan(asked());
  expect(quote).toMatchObject({ admitted: true, refusal: null, cost: { epsilon: "0.1", delta: "0" } });
  expect(quote.statistics[0]?.accuracy.halfWidth).toBeGreaterThan(10);
  expect(quote.path.map(({ name }) => name)).toEqual(["the ledger", "analysis", "member"]);
  expect(await member.showAccount({ account: fixture.memberAccount })).toEqual(before);

  const stages: string[] = [];
  const release = await member.releaseAndWait(asked(), { onStage: (stage) => stages.push(stage) });
  expect(stages.at(-1)).toBe("done");
  expect(release.answers?.[0]).toMatchObject({ id: "people", statistic: "count" });
  expect(release.receipt).toMatchObject({ epsilon: "0.1", delta: "0" });
  const after = await member.showAccount({ account: fixture.memberAccount });
  expect(after.balance).toEqual(quote.path[2]?.after);
  expect(Number(after.balance.epsilon.left)).toBeCloseTo(Number(before.balance.epsilon.left) - 0.1, 12);

  expect(await member.showRelease({ release: release.id })).toEqual(release);
  expect((await member.showAccount({ account: fixture.memberAccount })).balance).toEqual(after.balance);
  const listed = await member.listReleases({ dataset: fixture.dataset });
  expect(listed.items.map(({ id }) => id)).toContain(release.id);
  for (const role of ["platformAdmin", "datasetAdmin", "teamAdmin", "auditor", "stranger"] as const) {
    const { items } = await fixture.as[role].listReleases({});
    expect([role, items.some(({ id }) => id === release.id)]).toEqual([role, role !== "stranger"]);
  }
  for await (const event of member.watchRelease({ release: release.id }))
    expect(event).toEqual({ release: release.id, stage: "done", failed: false });
});

test("HAProxy's check, without more than its default, learns whether the server is ready", async () => {
  const check = await fixture.instance.app.fetch(new Request(`${ORIGIN}/`, { method: "OPTIONS" }));
  expect([check.status, await check.text()]).toEqual([204, ""]);
});

test("what asks whether the server lives shares no bucket with strangers; who tries secrets there does", async () => {
  const instance = await instanceOfTest({ rates: { ...unhurried, anonymous: { burst: 3, perMinute: 1e-3 } } });
  const from = { incoming: { socket: { remoteAddress: "203.0.113.7" } } };
  const asStranger = async (path: string, headers: Record<string, string> = {}) =>
    (await instance.app.fetch(new Request(`${ORIGIN}${path}`, { headers }), from)).status;
  const guesses = [1, 2, 3, 4].map((n) => asStranger("/v1/datasets", { authorization: `Bearer dsm_${n}` }));
  expect(await Promise.all(guesses)).toContain(429);
  for (let n = 0; n < 20; n += 1)
    expect([await asStranger("/v1/health"), await asStranger("/v1/ready")]).toEqual([200, 200]);
  expect(await asStranger("/v1/ready", { authorization: "Bearer dsm_5" })).toBe(429);
  expect(await asStranger("/v1/ready", { cookie: "dosimeter=dss_5" })).toBe(429);
});

test("a release answers at once with its address, when the charge is durable", async () => {
  const response = await post("/v1/releases", JSON.stringify(asked()), { "idempotency-key": "address" });
  const { id } = (await response.json()) as { id: string };
  expect([response.status, response.headers.get("location")]).toEqual([202, `/v1/releases/${id}`]);
  const entries = await fixture.as.member.listEntries({ ledger: fixture.ledger });
  expect(entries.items.map(({ release }) => release)).toContain(id);
});

test("the same key answers the same bytes and is charged once, another request under it is refused", async () => {
  const { member } = fixture.as;
  const key = { idempotencyKey: "once" };
  const first = await member.releaseAndWait(asked(), key);
  const spent = (await member.showLedger({ ledger: fixture.ledger })).balance;
  expect(await member.releaseAndWait(asked(), key)).toEqual(first);
  expect((await member.showLedger({ ledger: fixture.ledger })).balance).toEqual(spent);
  const other = await refused(member.createRelease({ ...asked(), plan: countPlan("0.2") }, key));
  expect(other.code).toBe("IDEMPOTENCY_CONFLICT");
  expect((await member.showLedger({ ledger: fixture.ledger })).balance).toEqual(spent);
});

test("many submits of one key at once spend once and all get the same answer", async () => {
  const { member } = fixture.as;
  const before = Number((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.left);
  const all = await Promise.all(
    Array.from({ length: 12 }, () => member.releaseAndWait(asked(), { idempotencyKey: "double" })),
  );
  expect(new Set(all.map((release) => JSON.stringify(release))).size).toBe(1);
  const after = Number((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.left);
  expect(before - after).toBeCloseTo(0.1, 12);
});

test("a plan that does not fit is refused with the reason and the largest epsilon that would, and nothing changes", async () => {
  const { member } = fixture.as;
  const before = await member.showAccount({ account: fixture.memberAccount });
  const entries = await member.listEntries({ ledger: fixture.ledger });
  const tooMuch = { ...asked(), plan: countPlan("1.5") };
  const quote = await member.quotePlan(tooMuch);
  expect(quote).toMatchObject({ admitted: false, cost: null, refusal: { code: "QUOTA_EXHAUSTED" } });
  const { left } = before.balance.epsilon;
  expect(quote.refusal).toMatchObject({
    largestEpsilon: left,
    reasons: [
      { account: fixture.memberAccount, name: "member", dimension: "epsilon", available: left, requested: "1.5" },
    ],
  });

  const error = await refused(member.createRelease(tooMuch, { idempotencyKey: "too-much" }));
  expect(error.code).toBe("QUOTA_EXHAUSTED");
  expect(error.details).toMatchObject({ largestEpsilon: left });
  expect(await member.showAccount({ account: fixture.memberAccount })).toEqual(before);
  expect(await member.listEntries({ ledger: fixture.ledger })).toEqual(entries);
  // The largest that was offered does fit, and leaves exactly nothing.
  const fits = await member.quotePlan({ ...asked(), plan: countPlan(left ?? "") });
  expect(fits.path[2]?.after?.epsilon.left).toBe("0");
});

test.each([
  ["no statistics", { statistics: [] }, "EMPTY_PLAN"],
  ["epsilon 0", countPlan("0"), "INVALID_PARAMETER"],
  ["negative epsilon", countPlan("-1"), "INVALID_PARAMETER"],
  ["epsilon NaN", countPlan("NaN"), "INVALID_PARAMETER"],
  ["epsilon infinite", countPlan("Infinity"), "INVALID_PARAMETER"],
  ["an unknown column", { statistics: [{ statistic: "mean", column: "height", epsilon: "0.1" }] }, "UNKNOWN_COLUMN"],
  [
    "bounds swapped",
    { statistics: [{ statistic: "sum", column: "age", lower: 90, upper: 18, epsilon: "0.1" }] },
    "INVALID_PARAMETER",
  ],
  [
    "bounds equal",
    { statistics: [{ statistic: "sum", column: "age", lower: 18, upper: 18, epsilon: "0.1" }] },
    "INVALID_PARAMETER",
  ],
  ["an unknown statistic", { statistics: [{ statistic: "median-ish", epsilon: "0.1" }] }, "INVALID_PARAMETER"],
  ["another neighbour relation", { ...countPlan(), adjacency: "replace" }, "ADJACENCY_MISMATCH"],
])("a plan with %s is refused and nothing is charged", async (_, bad, code) => {
  const { member } = fixture.as;
  const before = (await member.showLedger({ ledger: fixture.ledger })).head;
  expect((await refused(member.quotePlan({ ...asked(), plan: bad }))).code).toBe(code);
  expect((await refused(member.createRelease({ ...asked(), plan: bad }))).code).toBe(code);
  expect((await member.showLedger({ ledger: fixture.ledger })).head).toEqual(before);
});

test("an epsilon below one unit costs a whole unit", async () => {
  const quote = await fixture.as.member
    .quotePlan({ ...asked(), plan: countPlan("1e-400") })
    .catch((error: unknown) => error);
  if (quote instanceof PrivacyError) expect(quote.code).toBe("INVALID_PARAMETER");
  else expect(quote).toMatchObject({ cost: { epsilon: "0.000000000001" } });
});

test.each([
  ["delta of 1", { epsilon: "1", delta: "1" }],
  ["delta above 1", { epsilon: "1", delta: "2" }],
  ["epsilon 0", { epsilon: "0", delta: "1e-6" }],
  ["epsilon NaN", { epsilon: "NaN", delta: "1e-6" }],
])("a ledger with %s is not opened", async (label, lifetime) => {
  const { datasetAdmin } = fixture.as;
  const content = csvBytes(`${CSV}7,30,f,${label.length}\n`);
  const file = await datasetAdmin.uploadFile({ name: "x.csv", content });
  const { id } = await datasetAdmin.createDataset({
    name: `bad ${JSON.stringify(lifetime)}`,
    file: file.id,
    declaration,
  });
  expect((await refused(datasetAdmin.openLedger({ dataset: id, ...lifetime }))).code).toBe("INVALID_PARAMETER");
});

test("quota above the parent's is refused, quota moves both ways otherwise", async () => {
  const { teamAdmin } = fixture.as;
  const account = fixture.memberAccount;
  expect((await refused(teamAdmin.allocateQuota({ account, epsilon: "5" }))).code).toBe("QUOTA_UNAVAILABLE");
  const more = await teamAdmin.allocateQuota({ account, epsilon: "0.5" });
  expect(more.account.quota.epsilon).toBe("1.5");
  const back = await teamAdmin.withdrawQuota({ account, epsilon: "0.5" });
  expect(back).toMatchObject({ account: { quota: { epsilon: "1" } }, parent: { allocated: { epsilon: "1" } } });
  expect((await refused(teamAdmin.withdrawQuota({ account, epsilon: "1" }))).code).toBe("QUOTA_UNAVAILABLE");
});

test.each(["-1", "-0.000000000001", "NaN", "Infinity", "1e400", "9".repeat(40), "0x10", "1,5", ""])(
  "an amount of %j moves nothing, whatever it is an amount of",
  async (epsilon) => {
    const { datasetAdmin, teamAdmin, member } = fixture.as;
    const { ledger, memberAccount: account, teamAccount: to, dataset } = fixture;
    const balances = async () => [
      await datasetAdmin.showLedger({ ledger }),
      await teamAdmin.showAccount({ account: to }),
      await teamAdmin.showAccount({ account }),
    ];
    const before = await balances();
    const holder = { kind: "person", id: fixture.people.stranger } as const;
    for (const run of [
      () => teamAdmin.allocateQuota({ account, epsilon }),
      () => teamAdmin.allocateQuota({ account, epsilon: "0.1", delta: epsilon }),
      () => teamAdmin.withdrawQuota({ account, epsilon }),
      () => datasetAdmin.transferQuota({ account, to, epsilon }),
      () => datasetAdmin.createAccount({ ledger, holder, epsilon }),
      () => datasetAdmin.proposeAmendment({ ledger, epsilon, delta: "1e-6", reason: "more" }),
      () => member.createRelease({ dataset, account, plan: countPlan(epsilon) }),
    ])
      expect((await refused(run())).code, String(run)).toMatch(
        /^(INVALID_PARAMETER|QUOTA_UNAVAILABLE|QUOTA_EXHAUSTED)$/,
      );
    expect(await balances()).toEqual(before);
  },
);

test.each([
  [
    "duplicate columns",
    {
      ...declaration,
      columns: [
        { name: "a", type: "integer" },
        { name: "a", type: "integer" },
      ],
    },
  ],
  [
    "swapped bounds",
    { ...declaration, columns: { ...declaration.columns, age: { type: "integer", lower: 90, upper: 18 } } },
  ],
  [
    "a bound that is NaN",
    { ...declaration, columns: { ...declaration.columns, age: { type: "integer", lower: "NaN", upper: 18 } } },
  ],
  ["no bound on contributions", { ...declaration, contribution: {} }],
])("a declaration with %s is refused", async (_, bad) => {
  const { datasetAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "x.csv", content: csvBytes() });
  const error = await refused(datasetAdmin.createDataset({ name: "bad", file: file.id, declaration: bad }));
  expect(error.code).toBe("INVALID_PARAMETER");
  expect(error.details.name).toMatch(/columns|contribution/);
});

test.each([
  ["an empty file", new Uint8Array()],
  ["UTF-16 that ends within a letter", new Uint8Array([0xff, 0xfe, 0x61, 0, 0x2c])],
  ["Latin-1", new Uint8Array([0x61, 0x2c, 0x62, 0x0a, 0xe9, 0x2c, 0x31])],
  ["a picture", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
  ["Parquet in name only", new TextEncoder().encode("PAR1 and nothing more")],
])("%s is no table", async (_, content) => {
  const { datasetAdmin } = fixture.as;
  const before = await datasetAdmin.listFiles();
  const error = await refused(datasetAdmin.uploadFile({ name: "x.csv", content }));
  expect(error.code).toBe("DATA_UNREADABLE");
  expect(await datasetAdmin.listFiles()).toEqual(before);
});

test("a numeric column with text in it is refused for its owner, without a value in the message", async () => {
  const { datasetAdmin } = fixture.as;
  const content = csvBytes(CSV.replace("62", "sixty-two"));
  const file = await datasetAdmin.uploadFile({ name: "x.csv", content });
  const error = await refused(datasetAdmin.createDataset({ name: "texty", file: file.id, declaration }));
  expect(error.code).toBe("DATA_UNREADABLE");
  expect(JSON.stringify([error.message, error.details])).not.toContain("sixty");
});

test("an upload larger than allowed is refused", async () => {
  const instance = await instanceOfTest({ largestUpload: 64 });
  const error = await refused(
    clientOf(instance, instance.operatorToken).uploadFile({ name: "x.csv", content: csvBytes() }),
  );
  expect(error.code).toBe("PAYLOAD_TOO_LARGE");
});

test("malformed requests are problems with a code and a path", async () => {
  const problem = async (response: Response | Promise<Response>) => {
    const { status, headers, body } = await response;
    expect(headers.get("content-type")).toBe("application/problem+json");
    return { status, ...((await new Response(body).json()) as Record<string, unknown>) };
  };
  expect(await problem(post("/v1/quotes", "{"))).toMatchObject({
    status: 400,
    code: "INVALID_PARAMETER",
    name: "body",
  });
  expect(
    await problem(post("/v1/quotes", JSON.stringify({ ...asked(), plan: { statistics: [{ statistic: 3 }] } }))),
  ).toMatchObject({
    status: 400,
    name: "body.plan.statistics[0].statistic",
  });
  expect(await problem(post("/v1/quotes", JSON.stringify({ ...asked(), epslion: 1 })))).toMatchObject({
    name: "body.epslion",
  });
  expect(await problem(post("/v1/quotes", JSON.stringify({ dataset: fixture.dataset })))).toMatchObject({
    name: "body.account",
  });
  expect(await problem(post("/v1/quotes", "x".repeat(10_000_000)))).toMatchObject({
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
  });
  expect(await problem(post("/v1/quotes", "a=1", { "content-type": "text/plain" }))).toMatchObject({
    name: "content-type",
  });
  expect(await problem(post("/v1/releases", JSON.stringify(asked())))).toMatchObject({ name: "idempotency-key" });
  expect(await problem(raw("/v1/nothing"))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect(await problem(raw("/v1/quotes"))).toMatchObject({ status: 405, detail: expect.stringContaining("GET") });
  expect((await raw("/v1/quotes")).headers.get("allow")).toBe("POST");
  expect((await raw("/v1/people/per_1", { method: "PUT" })).headers.get("allow")).toBe("GET, DELETE");
  expect(await problem(raw("/v1/people?limit=0"))).toMatchObject({ status: 400, name: "query.limit" });
  expect(await problem(raw("/v1/people?limit=1&limit=2"))).toMatchObject({ status: 400, name: "query.limit" });
  expect(await problem(raw("/v1/people?cursor=nobody"))).toMatchObject({ status: 400, name: "query.cursor" });
  expect(await problem(raw("/v1/accounts/acc_unknown"))).toMatchObject({ status: 404 });
  expect(await problem(raw("/v1/accounts/%2e%2e%2f"))).toMatchObject({ status: 400, name: "path.account" });
});

test("lists come in pages that join without gap or repeat", async () => {
  const whole = await fixture.as.member.listPeople({ limit: 200 });
  const ids: string[] = [];
  for await (const { id } of fixture.as.member.all("listPeople", { limit: 2 })) ids.push(id);
  expect(ids).toEqual(whole.items.map(({ id }) => id));
});

test("datasets and accounts are found by a part of a name, and an account by its dataset or its team", async () => {
  const { member, stranger } = fixture.as;
  for (const text of ["STAFF", "taf", "analysis", "member"]) {
    const { items } = await member.listMyAccounts({ text });
    expect(items.map(({ id, datasetNames }) => [id, ...datasetNames])).toEqual([[fixture.memberAccount, "staff"]]);
  }
  expect((await member.listMyAccounts({ text: "nothing of this" })).items).toEqual([]);
  expect((await member.listDatasets({ text: "TAF" })).items.map(({ id }) => id)).toEqual([fixture.dataset]);
  expect((await member.listDatasets({ text: "%" })).items).toEqual([]);
  expect((await stranger.listDatasets({ text: "staff" })).items).toEqual([]);
});

test("a search finds the columns of datasets that one sees, by name and never by anything else in the declaration", async () => {
  const { member, stranger } = fixture.as;
  expect((await member.search({ text: "SALAR" })).items).toEqual([
    {
      kind: "column",
      id: fixture.dataset,
      name: "salary",
      hint: "column of staff",
      path: `/datasets/${fixture.dataset}`,
    },
  ]);
  for (const text of ["addRemove", "provenance", "%", "_", '"'])
    expect((await member.search({ text })).items.filter(({ kind }) => kind === "column")).toEqual([]);
  expect((await stranger.search({ text: "salary" })).items).toEqual([]);
});

test("datasets and teams are found by their exact name, and hidden ones as little as absent ones", async () => {
  const { member, stranger } = fixture.as;
  expect((await member.listDatasets({ name: "staff" })).items.map(({ id }) => id)).toEqual([fixture.dataset]);
  for (const name of ["Staff", "staf", "%", fixture.dataset])
    expect((await member.listDatasets({ name })).items).toEqual([]);
  const { name } = await member.showTeam({ team: fixture.team });
  expect((await member.listTeams({ name })).items.map(({ id }) => id)).toEqual([fixture.team]);
  expect((await member.listTeams({ name: `${name} 2` })).items).toEqual([]);
  expect(await stranger.listDatasets({ name: "staff" })).toEqual(await stranger.listDatasets({ name: "nothing" }));
  expect(await stranger.listTeams({ name })).toEqual(await stranger.listTeams({ name: "nothing" }));
});

test("every answer carries the security headers and is kept by no cache", async () => {
  for (const response of [await raw("/v1/me"), await raw("/v1/nothing"), await raw("/v1/accounts/acc_x")]) {
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});

test("a member sees of others' charges only that they happened and what they cost", async () => {
  const { teamAdmin, datasetAdmin, member, auditor } = fixture.as;
  const { id: account } = await datasetAdmin.createAccount({
    ledger: fixture.ledger,
    parent: fixture.teamAccount,
    holder: { kind: "person", id: fixture.people.teamAdmin },
    epsilon: "0.2",
  });
  await teamAdmin.releaseAndWait({ dataset: fixture.dataset, account, plan: countPlan("0.01") });
  const last = async (client: typeof member) => {
    const all = [];
    for await (const entry of client.all("listEntries", { ledger: fixture.ledger })) all.push(entry);
    return all.find(({ cost }) => cost?.epsilon === "0.01");
  };
  expect(await last(member)).toMatchObject({
    person: null,
    account: null,
    release: null,
    events: null,
    cost: { epsilon: "0.01" },
  });
  for (const client of [datasetAdmin, auditor, teamAdmin])
    expect(await last(client)).toMatchObject({ person: fixture.people.teamAdmin, account, cost: { epsilon: "0.01" } });
});

test("who leaves the team spends no more, and what was spent stays", async () => {
  const { teamAdmin, member } = fixture.as;
  const { team, people, memberAccount: account } = fixture;
  const before = await teamAdmin.showAccount({ account });
  await teamAdmin.removeMember({ team, person: people.member });
  expect((await refused(member.createRelease(asked()))).code).toBe("NOT_FOUND");
  expect((await refused(member.quotePlan(asked()))).code).toBe("NOT_FOUND");
  const after = await teamAdmin.showAccount({ account });
  expect(after).toMatchObject({ status: "frozen", balance: before.balance });
  await teamAdmin.addMember({ team, person: people.member });
  await teamAdmin.unfreezeAccount({ account });
  expect((await member.quotePlan(asked())).admitted).toBe(true);
  expect((await teamAdmin.showAccount({ account })).balance).toEqual(before.balance);
});

test("who may no longer see a ledger does not see its present name", async () => {
  const { platformAdmin, stranger } = fixture.as;
  const object = { kind: "dataset", id: fixture.dataset } as const;
  const { id: role } = await platformAdmin.grantRole({ person: fixture.people.stranger, role: "datasetAdmin", object });
  await stranger.freezeAccount({ account: fixture.teamAccount });
  await stranger.unfreezeAccount({ account: fixture.teamAccount });
  const named = async () => {
    const { items } = await stranger.listActivity({});
    const line = items.find(({ action }) => action === "account.freeze");
    return [line?.subjectName, line?.page];
  };
  expect(await named()).toEqual(["analysis", `/datasets/${fixture.dataset}`]);
  await platformAdmin.revokeRole({ role });
  expect(await named()).toEqual([null, null]);
});

test("a line of the activity about a release has its title and its page", async () => {
  const { member } = fixture.as;
  const { id, title } = await member.createRelease(asked());
  const { items } = await member.listActivity({});
  const about = items.filter(({ page }) => page === `/releases/${id}`);
  expect(about.map(({ action }) => action)).toContain("charge.create");
  expect(new Set(about.map(({ subjectName }) => subjectName))).toEqual(new Set([title]));
});

test("the ledger database verifies after all of this", async () => {
  const verified = await fixture.as.datasetAdmin.verify();
  expect(verified).toMatchObject({ ok: true, problems: [] });
  expect(verified.releases).toBeGreaterThan(2);
});

test("no log line holds a row value, a token, a name or a parameter", async () => {
  expect(lines.length).toBeGreaterThan(50);
  const text = lines.join("");
  const secrets = [
    ...Object.values(fixture.tokens),
    ...Object.values(fixture.people),
    fixture.dataset,
    fixture.memberAccount,
  ];
  for (const secret of [...secrets, "712345", "sixty", "staff", "age", fixture.instance.operatorToken])
    expect(text).not.toContain(secret);
  for (const line of lines) {
    const fields = Object.keys(JSON.parse(line) as object);
    expect([
      "level",
      "time",
      "route",
      "request",
      "source",
      "method",
      "status",
      "code",
      "cause",
      "atMost",
      "port",
      "count",
      "error",
      "at",
      "msg",
    ]).toEqual(expect.arrayContaining(fields));
  }
  expect(Object.keys(routes)).toContain((JSON.parse(lines[0] ?? "{}") as { route: string }).route);
});

test("a report says in one sentence what was promised and spent, for the ledger and for one account", async () => {
  const { member, datasetAdmin, auditor, stranger } = fixture.as;
  await member.releaseAndWait(asked());
  const mine = await member.reportAccount({ account: fixture.memberAccount });
  const { balance } = await member.showAccount({ account: fixture.memberAccount });
  expect(mine.accountants.find(({ method }) => method === "basic")?.epsilon).toBeCloseTo(
    Number(balance.epsilon.spent),
    12,
  );
  expect(mine.left.at(-1)?.left).toBe(balance.epsilon.left);
  expect(mine.more?.count).toBeGreaterThan(0);
  expect(mine.statement.sentence).toMatch(/^Promised: \(5, 0\.000001\)-DP for everything .*; spent so far .* ε = \d/);
  const whole = await datasetAdmin.reportLedger({ ledger: fixture.ledger, delta: "1e-5", threshold: 0.01 });
  const { sentence } = (await datasetAdmin.showLedger({ ledger: fixture.ledger })).guarantee;
  expect(whole).toMatchObject({ account: null, delta: "0.00001", threshold: 0.01, agent: { method: "basic" } });
  expect(whole.statement.promised).toMatchObject({ sentence, claim: "M13" });
  expect(whole.statement.spent.epsilon).toBe(whole.adaptive);
  expect(whole.charges).toBe(whole.head.number - 1);
  expect(await auditor.reportLedger({ ledger: fixture.ledger, delta: "1e-5", threshold: 0.01 })).toEqual(whole);
  expect((await refused(stranger.reportLedger({ ledger: fixture.ledger }))).code).toBe("NOT_FOUND");
  const { ledger } = fixture;
  const { id: team } = await fixture.as.teamAdmin.createTeam({ name: "readers" });
  const cap = { ledger, holder: { kind: "team", id: team }, epsilon: "0.25", kind: "cap" } as const;
  const { id: account, sentence: promise } = await datasetAdmin.createAccount(cap);
  expect(promise).toMatch(
    /^Promised: \(0\.25, .*\)-DP for what its members learn, each while a member .*, among the courses of events in which this stays its quota, .* only\.$/,
  );
  expect((await datasetAdmin.reportAccount({ account })).statement.sentence).toContain(promise?.slice(0, -1));
  const purpose = { kind: "purpose", name: "a survey" } as const;
  expect((await refused(datasetAdmin.createAccount({ ...cap, holder: purpose }))).code).toBe("INVALID_PARAMETER");
  for (const delta of ["1", "-1", "NaN", "2"])
    expect((await refused(member.reportAccount({ account: fixture.memberAccount, delta }))).code).toBe(
      "INVALID_PARAMETER",
    );
});
