import type { Client, Input, MadeOutside, ReleasedStatistic } from "@dosimeter/client";
import { checkPermit } from "@dosimeter/verify";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { buildFixture, clientOf, countPlan, csvBytes, openTestInstance, unhurried } from "../instance.kit.ts";
import { declaredVisits } from "../visits.kit.ts";

const fixture = fixtureOf();

const stating = (key: string, epsilon: string, more: object = {}) => ({
  account: fixture.memberAccount,
  key,
  events: [{ kind: "pure", epsilon }],
  purpose: "a survey",
  relation: "add-or-remove-one" as const,
  rowsPerUnit: 1,
  tool: { name: "opendp", version: "0.16.0" },
  ...more,
});
const refused = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

test("no one charges for a program outside before an admin of the dataset gives the right to", async () => {
  const { as, memberAccount: account } = fixture;
  await expect(as.member.declareCharge(stating("k", "0.1"))).rejects.toEqual(refused("FORBIDDEN"));
  expect(await as.member.quoteCharge(stating("k", "0.1"))).toMatchObject({
    fits: false,
    price: { epsilon: "0.1" },
    why: expect.stringContaining("the right to charge for programs outside, which an admin of the dataset gives"),
  });
  for (const who of ["member", "teamAdmin"] as const)
    await expect(as[who].setDeclaring({ account, mostEpsilon: "1" })).rejects.toEqual(refused("FORBIDDEN"));
  expect(await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.5", secondAbove: "0.25" })).toEqual({
    mostEpsilon: "0.5",
    secondAbove: "0.25",
    agents: false,
  });
  expect(await as.member.showDeclaring({ account })).toMatchObject({ mostEpsilon: "0.5" });
});

test("it is quoted, charged once by its key, listed, and shown with a permit that is checked without the server", async () => {
  const { as, memberAccount: account, dataset, ledger } = fixture;
  const quote = await as.member.quoteCharge(stating("train-7", "0.1"));
  expect(quote).toMatchObject({ fits: true, epsilon: "0.1", delta: "0", remaining: { epsilon: "1" } });
  const made = await as.member.declareCharge(stating("train-7", "0.1"));
  expect(made.charge).toMatchObject({
    account,
    dataset,
    key: "train-7",
    personName: "member",
    tool: { name: "opendp", version: "0.16.0" },
    price: { epsilon: "0.1", delta: "0" },
    evidence: null,
  });
  expect(await as.member.declareCharge(stating("train-7", "0.1"))).toEqual(made);
  await expect(as.member.declareCharge(stating("train-7", "0.2"))).rejects.toEqual(refused("IDEMPOTENCY_CONFLICT"));
  const { permit } = await as.auditor.showPermit({ charge: made.charge.id });
  expect(permit).toBe(made.permit);
  const checked = await checkPermit(permit, { key: "train-7" });
  expect(checked).toMatchObject({
    ok: true,
    permit: { charge: made.charge.id, version: 1, price: { epsilon: "0.1" } },
  });
  expect((await as.member.listCharges({ account })).items).toEqual([made.charge]);
  expect((await as.datasetAdmin.listCharges({ dataset })).items).toHaveLength(1);
  await expect(as.stranger.listCharges({ account })).rejects.toEqual(refused("NOT_FOUND"));
  await expect(as.stranger.showCharge({ charge: made.charge.id })).rejects.toEqual(refused("NOT_FOUND"));
  await expect(as.member.showRelease({ release: made.charge.id })).rejects.toEqual(refused("NOT_FOUND"));
  expect((await as.member.listReleases({})).items).toEqual([]);
  expect((await as.member.showLedger({ ledger })).guarantee.sentence).toMatch(
    /one program outside did what it declared\.$/,
  );
});

test("a permit is used once, by the job that it is for; altered or of another server it is refused", async () => {
  const { as } = fixture;
  const { permit } = await as.member.declareCharge(stating("job", "0.01"));
  const altered = permit.replace('"0.01"', '"0.001"');
  expect(altered).not.toBe(permit);
  await expect(as.member.redeemPermit({ permit: altered })).rejects.toEqual(refused("INVALID_PARAMETER"));
  await expect(as.member.redeemPermit({ permit, key: "other" })).rejects.toEqual(refused("INVALID_PARAMETER"));
  await expect(as.member.redeemPermit({ permit: "{}" })).rejects.toEqual(refused("INVALID_PARAMETER"));
  for (const [open, close] of ["[]", ['{"a":', "}"]]) {
    const deep = `${open}`.repeat(9000) + (open === "[" ? "" : "1") + `${close}`.repeat(9000);
    const nested = permit.replace('"charge":', `"more":${deep},"charge":`);
    await expect(as.member.redeemPermit({ permit: nested })).rejects.toEqual(
      refused("INVALID_PARAMETER", { message: expect.stringContaining("nests deeper than 200 levels") }),
    );
  }
  const elsewhere = await buildFixture(await openTestInstance());
  await expect(elsewhere.as.member.redeemPermit({ permit })).rejects.toEqual(refused("INVALID_PARAMETER"));
  await elsewhere.instance.close();
  expect((await as.stranger.redeemPermit({ permit, key: "job" })).charge.redeemed).toMatchObject({
    person: fixture.people.stranger,
  });
  await expect(as.member.redeemPermit({ permit })).rejects.toEqual(refused("CONFLICT"));
});

test("evidence is given once; its report is for admins of the dataset until it is published", async () => {
  const { as } = fixture;
  const {
    charge: { id: charge },
  } = await as.member.declareCharge(stating("shown", "0.01"));
  await expect(as.auditor.attachEvidence({ charge, commit: "abc" })).rejects.toEqual(refused("FORBIDDEN"));
  await as.member.attachEvidence({ charge, commit: "abc", report: "a row" });
  await expect(as.member.attachEvidence({ charge, commit: "abc" })).rejects.toEqual(refused("CONFLICT"));
  const report = async (who: "member" | "auditor" | "datasetAdmin") =>
    (await as[who].showCharge({ charge })).evidence?.report;
  expect([await report("member"), await report("auditor"), await report("datasetAdmin")]).toEqual([
    null,
    null,
    "a row",
  ]);
  await expect(as.member.publishEvidence({ charge })).rejects.toEqual(refused("FORBIDDEN"));
  await as.datasetAdmin.publishEvidence({ charge });
  expect(await report("auditor")).toBe("a row");
});

test("above a limit a second person states the same charge first", async () => {
  const { as } = fixture;
  await expect(as.member.declareCharge(stating("two", "0.3"))).rejects.toEqual(
    refused("CONFIRMATION_NEEDED", { message: expect.stringContaining("needs a second person") }),
  );
  const quoted = (epsilon: string) => as.member.quoteCharge(stating("two", epsilon));
  expect(await quoted("0.3")).toMatchObject({ fits: true, why: expect.stringContaining("needs a second person") });
  expect(await quoted("0.6")).toMatchObject({ fits: false, why: expect.stringContaining("at most 0.5") });
  expect(await quoted("0.2")).toMatchObject({ fits: true });
  await expect(as.member.approveCharge(stating("two", "0.3"))).rejects.toEqual(refused("FORBIDDEN"));
  await as.datasetAdmin.approveCharge(stating("two", "0.3"));
  expect(await quoted("0.3")).toMatchObject({ fits: true });
  expect((await as.member.declareCharge(stating("two", "0.3"))).price.epsilon).toBe("0.3");
  // Without a key it is a program of its own; with one its earlier chunks count.
  const { key: _, ...nameless } = stating("two/more", "0.05");
  expect((await as.member.quoteCharge(nameless)).why).toBeUndefined();
  expect((await as.member.quoteCharge(stating("two/more", "0.05"))).why).toContain("its earlier charges counted");
});

test.each([
  ["events of another relation", { relation: "replace-one" }, "ADJACENCY_MISMATCH"],
  ["no rows of a person, where people are protected", { rowsPerUnit: undefined }, "INVALID_PARAMETER"],
  ["NaN", { events: [{ kind: "pure", epsilon: "NaN" }] }, "INVALID_PARAMETER"],
  [
    "100,000 different steps",
    { events: Array.from({ length: 15_000 }, (_, i) => ({ kind: "pure", epsilon: i })) },
    "TOO_MUCH_WORK",
  ],
  ["a kind without a price", { events: [{ kind: "zcdp", rho: 1 }] }, "UNSUPPORTED_EVENT"],
  ["no events", { events: [] }, "EMPTY_PLAN"],
  ["a block of a ledger without any", { from: "2024-01" }, "INVALID_PARAMETER"],
  ["another dataset", { dataset: "dat_other" }, "NOT_FOUND"],
  ["a publication of tomorrow", { published: { on: "2999-01-01", where: "x" } }, "INVALID_PARAMETER"],
  ["more than there is", { events: [{ kind: "pure", epsilon: 3 }] }, "QUOTA_EXHAUSTED"],
])("%s is refused, and nothing is charged", async (_, more, code) => {
  const { as, memberAccount: account } = fixture;
  const before = (await as.member.showAccount({ account })).balance;
  await expect(as.member.declareCharge(stating("bad", "0.1", more))).rejects.toEqual(refused(code));
  expect((await as.member.showAccount({ account })).balance).toEqual(before);
});

test("many long questions of one person wait for one another, and another person's for one of them at most", async () => {
  const { as } = fixture;
  const long = { events: [{ kind: "randomAllocation", noiseMultiplier: "2", steps: 20_000 }] };
  let answered = 0;
  const asked = Array.from({ length: 6 }, (_, i) =>
    as.member
      .quoteCharge(stating(`long ${i}`, "0", long))
      .catch(() => null)
      .finally(() => (answered += 1)),
  );
  const { id: account } = await as.datasetAdmin.createAccount({
    ledger: fixture.ledger,
    holder: { kind: "person", id: fixture.people.teamAdmin },
    epsilon: "0.1",
  });
  await as.teamAdmin.quoteCharge(
    stating("short", "0", { account, events: [{ kind: "gaussian", noiseMultiplier: "100" }] }),
  );
  expect(answered).toBeLessThan(4);
  await Promise.all(asked);
});

test("it stands among the lines of the ledger and in its report, apart from what was measured here, and all of it verifies", async () => {
  const { as, ledger, dataset, memberAccount: account } = fixture;
  await as.member.createRelease({ dataset, account, plan: countPlan("0.05"), wait: 30 }, { idempotencyKey: "m" });
  const { items } = await as.datasetAdmin.listEntries({ ledger });
  const [measured, ...declared] = items.filter(({ kind }) => kind === "charge");
  expect(measured).toMatchObject({ outside: null, release: expect.stringMatching(/^chg_/) });
  expect(declared[0]).toMatchObject({
    outside: { key: "two", purpose: "a survey", tool: "opendp 0.16.0" },
    release: null,
  });
  const { outside } = await as.member.showLedger({ ledger });
  expect(outside).toMatchObject({
    charges: 4,
    epsilon: "0.42",
    programs: [{ name: "train-7", personName: "member" }, {}, {}, {}],
  });
  const report = await as.member.reportAccount({ account });
  expect(report).toMatchObject({ charges: 5, outside: { charges: 4, epsilon: "0.42" } });
  expect(report.statement.sentence).toContain(
    "provided that 4 programs outside did what they declared in 4 of these charges",
  );
  expect(await as.platformAdmin.verify()).toMatchObject({ ok: true, problems: [] });
});

test("no fewer rows of a person than the declaration allows are stated, also of what was published; what does not fit is said", async () => {
  const { as, people } = fixture;
  const admin = as.datasetAdmin;
  const file = await admin.uploadFile({ name: "visits.csv", content: csvBytes("who,seen\np31,2024-01-15\n") });
  const { blocks: _, ...declaration } = declaredVisits({ lower: "2024-01-01", upper: "2024-03-31" });
  const { id: dataset } = await admin.createDataset({ file: file.id, declaration, name: "visits" });
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "2", delta: "1e-6" });
  const { id: account } = await admin.createAccount({
    ledger,
    holder: { kind: "person", id: people.member },
    epsilon: "1",
  });
  await admin.setDeclaring({ account, mostEpsilon: "1" });
  const charge = (rowsPerUnit?: number) => as.member.declareCharge(stating("rows", "0.1", { account, rowsPerUnit }));
  const row = { key: "2019", relation: "add-or-remove-one" as const, on: "2019-01-01", where: "a report" };
  const imported = (rowsPerUnit?: number) =>
    admin.importCharges({ ledger, rows: [{ ...row, events: [{ kind: "pure", epsilon: "30" }], rowsPerUnit }] });
  for (const rows of [undefined, 1]) {
    await expect(charge(rows)).rejects.toEqual(
      refused("INVALID_PARAMETER", { message: expect.stringMatching(/at least 2/) }),
    );
    await expect(imported(rows)).rejects.toEqual(refused("INVALID_PARAMETER"));
  }
  expect((await charge(2)).charge).toMatchObject({ rowsPerUnit: 2 });
  expect(await imported(2)).toMatchObject({
    status: "frozen",
    imported: 0,
    over: expect.stringMatching(/ε = 30 does not fit$/),
  });
  const shown = await as.member.showLedger({ ledger });
  expect(shown.guarantee.sentence).toMatch(
    /It holds, except for what was published before \(ε = 30\), provided that 2 programs outside did what they declared\.$/,
  );
  const over = "over its lifetime: of what was published before, ε = 30 does not fit";
  const listed = (await as.member.listDatasets({})).items.map(({ name, ledger }) => [
    name,
    ledger?.status,
    ledger?.over,
  ]);
  expect(listed).toContainEqual(["visits", "frozen", over]);
  expect(shown).toMatchObject({ status: "frozen", over, frozen: { reason: null } });
  expect((await admin.reportLedger({ ledger })).statement.sentence).toContain(
    "for everything ever released, except for what was published before (ε = 30), whatever",
  );
  const population = (await fixture.instance.database.ledgers.ledger(ledger)).population;
  await admin.setPublication({ ledger, isPublic: true });
  expect((await as.member.showPublicGuarantee({ population })).sentence).toBe(shown.guarantee.sentence);
});

test("a result made outside stands in the library to be cited, and no answer is derived from it", async () => {
  const elsewhere = await buildFixture(await openTestInstance());
  const { as, memberAccount: account, dataset } = elsewhere;
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "1" });
  const of = async (key: string, evidence: object) => {
    const { charge } = await as.member.declareCharge(stating(key, "0.01", { account, purpose: `Count ${key}` }));
    return as.member.attachEvidence({ charge: charge.id, ...evidence });
  };
  const hash = "ab".repeat(32);
  const { id: charge, citation } = await of("hashed", { sha256: hash, commit: "c1" });
  await of("placed", { address: "https://example.org/notebook" });
  await of("without a result", { commit: "c2" });
  const plan = countPlan("0.1");
  const released = await as.member.releaseAndWait({ dataset, account, plan });
  const listed = async (who: keyof typeof as, asked: object = {}) => {
    const { items, next } = await as[who].listReleased({ dataset, ...asked });
    return { next, items: items.map((item) => (item.kind === "outside" ? item.label : item.release)) };
  };
  const all = [released.id, "Count placed", "Count hashed"];
  expect(await listed("member")).toEqual({ items: all, next: null });
  const paged: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listed>> = await listed("member", { limit: 1, ...(cursor && { cursor }) });
    paged.push(...page.items);
    cursor = page.next;
  }
  expect(paged).toEqual(all);
  expect((await listed("member", { text: "hashed count" })).items).toEqual(["Count hashed"]);
  expect((await listed("member", { statistic: "count" })).items).toEqual([released.id]);
  expect((await listed("datasetAdmin")).items).toEqual(all);
  const cited = (await as.member.listReleased({ dataset })).items.find(
    (item) => item.kind === "outside" && item.charge === charge,
  );
  expect(cited).toMatchObject({ by: "member", citation });
  expect(citation).toMatch(
    /^Count hashed\. Made outside with opendp 0\.16\.0, charged by member as hashed \(chg_\w+\), line \d+/,
  );
  expect(citation).toContain(`SHA-256 of the result: ${hash}.`);
  // Neither an offer nor a combination takes it; nor does the compiler.
  const { statistics } = await as.member.quotePlan({ dataset, account, plan, reuse: "free" });
  expect(statistics[0]?.reuse.offers.flatMap(({ from }) => from.map(({ release }) => release))).toEqual([released.id]);
  const [row = ""] = released.answers?.map(({ id }) => id) ?? [];
  const combine = (release: string) =>
    as.member.combineReleased({
      dataset,
      operation: "sum",
      of: [
        { release, row },
        { release, row },
      ],
    });
  await expect(combine(charge)).rejects.toEqual(refused("NOT_FOUND"));
  expect((await combine(released.id)).cost).toEqual({ epsilon: "0" });
  // @ts-expect-error: it has no release and no row.
  const taken: Input<"combineReleased">["of"][0] | ReleasedStatistic = {} as MadeOutside;
  expect(taken).toEqual({});
  await elsewhere.instance.close();
});

test("a public page shows what an admin imported, and nothing that who spends has typed", async () => {
  const elsewhere = await buildFixture(await openTestInstance());
  const { as, memberAccount: account, ledger } = elsewhere;
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "1" });
  const typed = { name: "their rows were sold", version: "1" };
  await as.member.declareCharge(stating("p", "0.1", { account, tool: typed }));
  const past = { on: "2020-01-01", where: "a defamation" };
  await as.member.declareCharge(stating("q", "0.1", { account, tool: typed, published: past }));
  const rows = [{ ...stating("r", "0.1"), on: "2019-01-01", where: "a report" }].map(({ account: _, ...row }) => row);
  await as.datasetAdmin.importCharges({ ledger, rows });
  await as.datasetAdmin.setPublication({ ledger, isPublic: true });
  const { population } = await as.datasetAdmin.showLedger({ ledger });
  expect((await as.stranger.showPublicGuarantee({ population })).programs).toEqual([
    { tool: null, published: null },
    { tool: null, published: "2020-01-01" },
    { tool: "opendp 0.16.0", published: "2019-01-01, a report" },
  ]);
  await elsewhere.instance.close();
});

test("a charge that waits is shown to who asked and to who may decide, priced, until it is made", async () => {
  const { as, memberAccount: account } = fixture;
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.5", secondAbove: "0" });
  const waits = stating("waits", "0.001");
  await expect(as.member.declareCharge(waits)).rejects.toEqual(refused("CONFIRMATION_NEEDED"));
  const of = async (who: "member" | "datasetAdmin" | "auditor") =>
    (await as[who].listWaitingCharges({})).items.filter(({ stated }) => stated.key === "waits");
  const [mine] = await of("member");
  expect(mine).toMatchObject({
    ...{ status: "waiting", personName: "member", price: { epsilon: "0.001" } },
    ...{ stated: waits, mine: { mayDecide: false, mayCharge: true }, why: expect.stringContaining("second person") },
  });
  expect(await of("datasetAdmin")).toMatchObject([{ mine: { mayDecide: true, mayCharge: false } }]);
  expect(await of("auditor")).toEqual([]);
  const decide = { account, waiting: mine?.id ?? "", outcome: "approve" as const };
  const told = async (who: "member" | "datasetAdmin") =>
    (await as[who].listNotifications({})).items.filter(({ kind }) => kind === "programWaits").map(({ title }) => title);
  expect(await told("datasetAdmin")).toContainEqual(
    expect.stringContaining("member asks for your approval of waits on "),
  );
  await expect(as.member.decideCharge(decide)).rejects.toEqual(refused("FORBIDDEN"));
  await as.datasetAdmin.decideCharge(decide);
  expect(await told("member")).toContainEqual(expect.stringMatching(/^waits on .* was approved$/));
  const approved = { status: "approved", price: { epsilon: "0.001" }, decidedBy: "datasetAdmin" };
  expect(await of("member")).toMatchObject([approved]);
  expect((await of("member"))[0]?.why).toBeUndefined();
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.0001" });
  expect(await of("member"), "approved, and refused now").toMatchObject([
    { ...approved, why: expect.stringContaining("at most 0.0001") },
  ]);
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.5" });
  const { charge } = await as.member.declareCharge(mine?.stated ?? waits);
  expect(await of("member")).toEqual([]);
  expect(await as.member.quoteCharge(waits)).toMatchObject({
    ...{ fits: true, made: charge.id, price: { epsilon: "0.001" } },
    why: expect.stringContaining(`line ${charge.entry.number} of the ledger`),
  });
  await as.datasetAdmin.setDeclaring({ account, secondAbove: null });
});

test("who asked, alone or through an agent, may not decide, and no page or mail says that they may; nor may an agent", async () => {
  const { as, people, dataset, ledger, instance, team, teamAccount: parent } = fixture;
  const operator = clientOf(instance, instance.operatorToken);
  const agentOf = async (onBehalfOf: string, name: string) => {
    const { id } = await operator.createPerson({ name, kind: "agent", onBehalfOf });
    const scopes = ["read", "release", "manage"] as const;
    const { secret } = await operator.createServiceToken({ person: id, name: "t", scopes: [...scopes] });
    return { id, client: clientOf(instance, secret) };
  };
  const [asks, decides] = [await agentOf(people.datasetAdmin, "asks"), await agentOf(people.member, "decides")];
  await as.teamAdmin.addMember({ team, person: asks.id });
  await operator.grantRole({ person: decides.id, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });
  const holder = { kind: "person" as const, id: asks.id };
  const { id: account } = await as.teamAdmin.createAccount({ ledger, parent, holder, epsilon: "0.1" });
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.1", secondAbove: "0", agents: true });
  const waits = stating("by an agent", "0.001", { account });
  await expect(asks.client.declareCharge(waits)).rejects.toEqual(refused("CONFIRMATION_NEEDED"));
  const isTold = async ({ listNotifications }: Client) =>
    (await listNotifications({})).items.some(({ title }) => title.includes("by an agent"));
  for (const client of [as.datasetAdmin, decides.client]) {
    const seen = (await client.listWaitingCharges({})).items.find(({ stated }) => stated.key === waits.key);
    expect(seen).toMatchObject({ status: "waiting", mine: { mayDecide: false, mayCharge: false } });
    const decide = { account, waiting: seen?.id ?? "", outcome: "approve" as const };
    await expect(client.decideCharge(decide)).rejects.toEqual(refused("FORBIDDEN"));
  }
  await expect(decides.client.approveCharge(waits)).rejects.toEqual(refused("FORBIDDEN"));
  expect(await isTold(as.datasetAdmin)).toBe(false);
});

test("the list of what waits is limited as quotes are: it prices each", async () => {
  const rates = { ...unhurried, quote: { burst: 2, perMinute: 1e-3 } };
  const limited = await openTestInstance({ rates });
  const { listWaitingCharges } = clientOf(limited, limited.operatorToken);
  await listWaitingCharges({});
  await listWaitingCharges({});
  await expect(listWaitingCharges({})).rejects.toEqual(refused("RATE_LIMITED"));
  await limited.close();
});

test("the list of who decides does not wait for what is dear to price", async () => {
  const { as, memberAccount: account, instance } = await buildFixture(await openTestInstance());
  await as.datasetAdmin.setDeclaring({ account, mostEpsilon: "0.5", secondAbove: "0" });
  await expect(as.member.declareCharge(stating("w", "0.1", { account }))).rejects.toEqual(
    refused("CONFIRMATION_NEEDED"),
  );
  const listed = async () => (await as.datasetAdmin.listWaitingCharges({})).items;
  expect(await listed()).toMatchObject([{ price: { epsilon: "0.1" } }]);
  // Takes a minute, in the turn of who asks.
  const events = [{ kind: "randomAllocation", noiseMultiplier: "200", steps: 20_000 }];
  const dear = as.member.quoteCharge(stating("dear", "0", { account, events })).catch(() => null);
  const [waiting] = await listed();
  expect(waiting).toMatchObject({ price: null, why: expect.stringContaining("takes longer"), status: "waiting" });
  await as.datasetAdmin.decideCharge({ account, waiting: waiting?.id ?? "", outcome: "refuse" });
  await instance.close();
  await dear;
});

test("each row of an import is priced before it, and what is wrong with one is said in its place", async () => {
  const row = {
    key: "p1",
    events: [{ kind: "pure", epsilon: "0.001" }],
    on: "2020-01-01",
    where: "a report",
    rowsPerUnit: 1,
  };
  const rows = [
    row,
    { ...row, key: "p2", on: "2999-01-01" },
    { ...row, key: "p3", events: [{ kind: "zcdp", rho: 1 }] },
    { ...row, key: "p4", rowsPerUnit: undefined },
  ];
  const asked = {
    ledger: fixture.ledger,
    rows: rows.map((one) => ({ relation: "add-or-remove-one" as const, ...one })),
  };
  const { as } = fixture;
  expect((await as.datasetAdmin.quoteImport(asked)).rows).toMatchObject([
    { key: "p1", outcome: "counted", price: { epsilon: "0.001" }, why: null },
    { key: "p2", outcome: "problem", price: null, why: expect.stringContaining("rows[1].published.on") },
    { key: "p3", outcome: "problem", why: expect.any(String) },
    { key: "p4", outcome: "problem", why: expect.stringContaining("rows[3].rowsPerUnit") },
  ]);
  await expect(as.member.quoteImport(asked)).rejects.toEqual(refused("FORBIDDEN"));
  let [turns, isDone] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const many = Array.from({ length: 500 }, (_, i) => ({
    ...row,
    relation: "add-or-remove-one" as const,
    key: `m${i}`,
  }));
  await as.datasetAdmin.quoteImport({ ledger: fixture.ledger, rows: many });
  isDone = true;
  expect(turns, "others are let through between two rows").toBeGreaterThan(900);
});
