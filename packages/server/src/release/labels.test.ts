import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes, declaration } from "../instance.kit.ts";

const fixture = fixtureOf();

const plan = { statistics: [{ id: "pay", statistic: "mean", column: "salary", groupBy: ["sex"], epsilon: "0.1" }] };
const count = { statistics: [{ id: "people", statistic: "count", epsilon: "0.05" }] };

const release = (asked: object) =>
  fixture.as.member.releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: asked as never,
  });

test("a release is titled by what it asks and costs, until people call it something, next to answers that stay", async () => {
  const made = await release(plan);
  expect(made).toMatchObject({ title: "Mean of salary by sex, ε 0.1", isNamed: false, note: null, epsilon: "0.1" });
  const label = { release: made.id, title: "Pay gap 2026", note: "For the board.\nSee also the count." };
  expect(await fixture.as.member.labelRelease(label)).toMatchObject({ title: "Pay gap 2026", isNamed: true });
  const read = await fixture.as.datasetAdmin.showRelease({ release: made.id });
  expect(read).toEqual({ ...made, title: "Pay gap 2026", isNamed: true, note: label.note });
  expect((await fixture.as.member.listReleases({})).items[0]).toMatchObject({
    title: "Pay gap 2026",
    note: label.note,
  });
  // An admin of its ledger may take the title away; who only reads it may not.
  await fixture.as.datasetAdmin.labelRelease({ release: made.id, title: null });
  const after = await fixture.as.teamAdmin.showRelease({ release: made.id });
  expect([after.title, after.note]).toEqual(["Mean of salary by sex, ε 0.1", label.note]);
  await expect(fixture.as.teamAdmin.labelRelease({ release: made.id, note: "x" })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await expect(fixture.as.stranger.labelRelease({ release: made.id, note: "x" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test.each([
  [{ title: "x".repeat(201) }, /title/],
  [{ title: "a\u202eb" }, /title/],
  [{ title: "\u200b" }, /title/],
  [{ note: "x".repeat(2001) }, /note/],
  [{ note: "half a letter \ud800" }, /note/],
  [{ note: "turned \u202e round" }, /note/],
])("a title or note that cannot be shown is refused: %#", async (label, words) => {
  const { id } = await release(count);
  await expect(fixture.as.member.labelRelease({ release: id, ...label })).rejects.toThrow(words);
});

test("a search finds releases by title, note and column, and only those that the person may read", async () => {
  const { id } = await release(plan);
  await fixture.as.member.labelRelease({ release: id, title: "Zebra", note: "quagga" });
  const found = async (text: string, who: "member" | "stranger" | "auditor") =>
    (await fixture.as[who].search({ text })).items.filter(({ kind }) => kind === "release");
  for (const text of ["zebra", "QUAGGA"])
    expect(await found(text, "member")).toEqual([
      { kind: "release", id, name: "Zebra", hint: "release · staff", path: `/releases/${id}` },
    ]);
  expect((await found("salary", "member"))[0]).toMatchObject({ id, name: "Zebra" });
  expect((await found("zebra", "auditor"))[0]).toMatchObject({ id });
  expect(await found("salary", "stranger")).toEqual([]);
});

test("a list shows single numbers with their intervals and ranges, and leaves groups to the page", async () => {
  const single = await release(count);
  const groups = await release(plan);
  const { items } = await fixture.as.member.listReleases({});
  const of = (id: string) => items.find((item) => item.id === id)?.numbers;
  const cell = single.answers?.[0]?.cells[0];
  expect(of(single.id)).toEqual([
    {
      row: "people",
      label: "Count",
      value: cell?.value,
      interval: cell?.interval,
      unit: null,
      calendar: null,
      confidence: 0.95,
      range: [0, 6],
    },
  ]);
  expect(of(groups.id)).toEqual([]);
});

test("a list shows a reader under a cap no number that the cap has not counted, and counts none", async () => {
  const { datasetAdmin, teamAdmin } = fixture.as;
  const { id } = await release(count);
  const { id: cap } = await datasetAdmin.createAccount({
    ledger: fixture.ledger,
    holder: { kind: "person", id: fixture.people.teamAdmin },
    epsilon: "0.5",
    kind: "cap",
  });
  const spent = async () => (await datasetAdmin.showAccount({ account: cap })).balance.epsilon;
  const before = await spent();
  const numbers = async () => (await teamAdmin.listReleases({})).items.find((item) => item.id === id)?.numbers;
  expect(await numbers()).toBeNull();
  expect(await spent()).toEqual(before);
  await teamAdmin.showRelease({ release: id });
  expect(await numbers()).toHaveLength(1);
  expect(await spent()).not.toEqual(before);
});

test("an answer keeps the words of the version that it was asked of", async () => {
  const worded = (f: string, m: string) => ({
    ...declaration,
    columns: { ...declaration.columns, sex: { ...declaration.columns.sex, valueLabels: { f, m } } },
  });
  const version = async (f: string, m: string) => {
    const { datasetAdmin } = fixture.as;
    const file = await datasetAdmin.uploadFile({ name: "staff.csv", content: csvBytes() });
    await datasetAdmin.createVersion({ dataset: fixture.dataset, file: file.id, declaration: worded(f, m) });
  };
  await version("women", "men");
  const made = await release({ statistics: [{ statistic: "histogram", column: "sex", epsilon: "0.05" }] });
  await version("men", "women");
  const read = await fixture.as.member.showRelease({ release: made.id });
  expect(read.words).toEqual(made.words);
  expect(JSON.stringify(read.words)).toContain('{"f":"women","m":"men"}');
});
