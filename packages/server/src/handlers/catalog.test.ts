import type { Client } from "@dosimeter/client";
import { beforeAll, expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { countPlan, csvBytes, declaration } from "../instance.kit.ts";

const fixture = fixtureOf();
let steward: Client;
let stranger: Client;

beforeAll(async () => {
  steward = fixture.as.datasetAdmin;
  stranger = fixture.as.stranger;
});

const said = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => "done",
    ({ code, message }) => ({ code, message }),
  );

test("a dataset is in no catalogue until its admin lists it, and is out of it again at once", async () => {
  const { dataset } = fixture;
  const absent = "dat_00000000000000000000";
  const unseen = async () => {
    expect((await stranger.listCatalog()).items).toEqual([]);
    expect(await said(stranger.showCatalogDataset({ dataset }))).toEqual(
      await said(stranger.showCatalogDataset({ dataset: absent })),
    );
    expect((await stranger.search({ text: "staff" })).items).toEqual([]);
  };
  await unseen();
  expect(await steward.showListing({ dataset })).toEqual({ isListed: false, showsColumns: false, description: "" });
  for (const other of ["member", "teamAdmin", "auditor", "platformAdmin"] as const)
    expect(await said(fixture.as[other].setListing({ dataset, isListed: true }))).toMatchObject({ code: "FORBIDDEN" });
  await steward.setListing({ dataset, isListed: true });
  expect((await stranger.listCatalog()).items).toHaveLength(1);
  await steward.setListing({ dataset, isListed: false });
  await unseen();
  const { items } = await fixture.as.platformAdmin.listAudit({ action: "dataset.list" });
  expect(items.map(({ actor, detail }) => ({ actor, detail }))).toEqual([
    { actor: fixture.people.datasetAdmin, detail: { dataset, isListed: false, showsColumns: false } },
    { actor: fixture.people.datasetAdmin, detail: { dataset, isListed: true, showsColumns: false } },
  ]);
});

test("the catalogue says what its admins say, and nothing of the ledger, the spending, the answers or the rows", async () => {
  const { dataset, as, memberAccount: account } = fixture;
  await as.member.releaseAndWait({ dataset, account, plan: countPlan("0.01") });
  await steward.setListing({ dataset, isListed: true, description: "Pay of the staff.\nAsk for a part of it." });
  const shown = {
    id: dataset,
    name: "staff",
    description: "Pay of the staff.\nAsk for a part of it.",
    privacyUnit: "person",
    stewards: ["datasetAdmin"],
  };
  expect(await stranger.listCatalog()).toEqual({ items: [shown], next: null });
  expect(await stranger.showCatalogDataset({ dataset })).toEqual({ ...shown, columns: null, isVisible: false });
  await steward.setListing({ dataset, showsColumns: true });
  const none = { label: null, description: null };
  expect((await stranger.showCatalogDataset({ dataset })).columns).toEqual([
    { name: "person", type: "integer", ...none },
    { name: "age", type: "integer", ...none },
    { name: "sex", type: "category", ...none },
    { name: "salary", type: "integer", ...none },
  ]);
  for (const hidden of [
    stranger.showDataset({ dataset }),
    stranger.showLedger({ ledger: fixture.ledger }),
    stranger.listReleased({ dataset }),
    stranger.listAccess({ dataset }),
    stranger.showListing({ dataset }),
  ])
    expect(await said(hidden)).toMatchObject({ code: "NOT_FOUND" });
});

test("it is searched by name only, page by page; who sees a dataset has it among their own", async () => {
  const { dataset, as } = fixture;
  await steward.setListing({ dataset, isListed: true, showsColumns: true, description: "salaries" });
  expect((await stranger.listCatalog({ text: "TAF" })).items).toHaveLength(1);
  for (const text of ["salar", "age", "datasetAdmin"]) {
    expect((await stranger.listCatalog({ text })).items).toEqual([]);
    expect((await stranger.search({ text })).items.filter(({ kind }) => kind !== "person")).toEqual([]);
  }
  expect((await stranger.search({ text: "staff" })).items).toEqual([
    { kind: "listing", id: dataset, name: "staff", hint: "dataset that you may ask for", path: `/catalog/${dataset}` },
  ]);
  for (const seer of ["member", "teamAdmin", "datasetAdmin", "auditor", "platformAdmin"] as const) {
    expect((await as[seer].listCatalog()).items).toEqual([]);
    expect((await as[seer].search({ text: "staff" })).items.map(({ kind }) => kind)).not.toContain("listing");
  }
  const file = await steward.uploadFile({ name: "more.csv", content: csvBytes("person,age\n9,40\n") });
  const { person, age } = declaration.columns;
  const more = { ...declaration, name: "more", columns: { person, age } };
  const second = await steward.createDataset({ file: file.id, declaration: more });
  await steward.setListing({ dataset: second.id, isListed: true });
  expect((await stranger.listCatalog()).items, "nothing to ask for before its ledger is open").toHaveLength(1);
  await steward.openLedger({ dataset: second.id, epsilon: "1", delta: "1e-6" });
  const first = await stranger.listCatalog({ limit: 1 });
  expect(first.items.map(({ name }) => name)).toEqual(["more"]);
  const rest = await stranger.listCatalog({ limit: 1, cursor: first.next ?? "" });
  expect(rest).toMatchObject({ items: [{ name: "staff" }], next: null });
});

test("what the catalogue says has no control or direction characters", async () => {
  const { dataset } = fixture;
  for (const description of ["a\u202eb", "a\u0000", "\ud800", "x".repeat(2001)])
    expect(await said(steward.setListing({ dataset, description }))).toMatchObject({ code: "INVALID_PARAMETER" });
});

test("a declaration with such words is refused; one from before is shown without them", async () => {
  const file = await steward.uploadFile({ name: "old.csv", content: csvBytes("person,age\n8,41\n") });
  const { person, age } = declaration.columns;
  const turned = { ...declaration, name: "old", columns: { person, age: { ...age, label: "\u202eage" } } };
  expect(await said(steward.createDataset({ file: file.id, declaration: turned }))).toMatchObject({
    code: "INVALID_PARAMETER",
    message: expect.stringContaining("columns.age.label"),
  });
  const { id: dataset } = await steward.createDataset({
    file: file.id,
    declaration: { ...turned, columns: { person, age } },
  });
  expect(await said(steward.createVersion({ dataset, declaration: turned }))).toMatchObject({
    code: "INVALID_PARAMETER",
  });
  const { catalog } = fixture.instance.database;
  const { id, source, createdBy: by } = await catalog.dataset(dataset);
  await catalog.addVersion({ dataset: id, declaration: turned as never, source, by });
  await steward.openLedger({ dataset, epsilon: "1", delta: "1e-6" });
  await steward.setListing({ dataset, isListed: true, showsColumns: true });
  const { columns } = await stranger.showCatalogDataset({ dataset });
  expect(columns?.map(({ label }) => label)).toEqual([null, "age"]);
});

test("who finds a dataset there asks, is offered less, and sees it when they accept", async () => {
  const { dataset } = fixture;
  await steward.setListing({ dataset, isListed: true });
  const asked = await stranger.createRequest({ dataset, epsilon: "0.5", note: "for a thesis" });
  const offered = await steward.offerRequest({ request: asked.id, version: asked.version, epsilon: "0.2" });
  await stranger.acceptOffer({ request: asked.id, version: offered.version });
  const { accounts } = await stranger.showDataset({ dataset });
  expect(accounts.map(({ quota }) => quota.epsilon)).toEqual(["0.2"]);
  expect((await stranger.listCatalog()).items.map(({ name }) => name)).not.toContain("staff");
});
