import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { browserOf, clientOf, type Fixture, tokenFor } from "../instance.kit.ts";

const fixture = fixtureOf();

const upload = async (client: Fixture["as"]["member"], rows = "1,F\n2,M\n") =>
  client.uploadFile({ name: "visits.csv", content: new TextEncoder().encode(`who,sex\n${rows}`) });
const form = { draft: { name: "visits", columns: [{ name: "sex", values: "F\nM" }] } };
const declaration = {
  name: "visits",
  privacyUnit: "row",
  columns: { who: { type: "text" }, sex: { type: "category", categories: ["F", "M"] } },
};

test("a declaration is kept for who types it, and handed to a colleague with its upload, who is notified", async () => {
  const { as, people, instance } = fixture;
  const { id: file } = await upload(as.member);
  const made = await as.member.saveUnfinished({ name: "visits", form, file });
  expect(made).toMatchObject({ form, plan: null, dataset: null, isMine: true, file: { id: file, name: "visits.csv" } });
  const typed = { draft: { ...form.draft, name: "visits of 2024" } };
  const saved = await as.member.changeUnfinished({ draft: made.id, form: typed, seen: made.changedAt });
  // A second tab that saw the first state does not undo it.
  await expect(as.member.changeUnfinished({ draft: made.id, form, seen: made.changedAt })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  const again = clientOf(instance, await tokenFor(instance, people.member));
  expect(await again.showDraft({ draft: made.id })).toMatchObject({ form: typed, changedAt: saved.changedAt });
  expect((await again.listUnfinished()).items.map(({ id }) => id)).toEqual([made.id]);

  for (const who of ["teamAdmin", "platformAdmin"] as const) {
    await expect(as[who].showDraft({ draft: made.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await as[who].listUnfinished()).items).toEqual([]);
  }
  // The upload of someone else is no one's to begin with, nor to declare.
  await expect(as.teamAdmin.saveUnfinished({ name: "mine", form, file })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(as.teamAdmin.createDataset({ file, declaration })).rejects.toMatchObject({ code: "NOT_FOUND" });

  await as.member.handDeclaration({ draft: made.id, person: people.teamAdmin });
  await expect(as.member.showDraft({ draft: made.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await as.teamAdmin.showDraft({ draft: made.id })).toMatchObject({
    form: typed,
    isMine: true,
    file: { id: file },
  });
  const [news] = (await as.teamAdmin.listNotifications()).items;
  expect(news).toMatchObject({ kind: "declaration", path: `/datasets/new?draft=${made.id}` });
  expect((await as.teamAdmin.describeFile({ file })).columns).toHaveLength(2);
  // What a check shows stays the uploader's, in the session that sent the file.
  await expect(as.teamAdmin.checkUpload({ file, declaration })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const dataset = await as.teamAdmin.createDataset({ file, declaration });
  expect(dataset).toMatchObject({ myRoles: ["datasetAdmin"], isFitted: false });
  await as.teamAdmin.deleteDraft({ draft: made.id });
  await expect(as.teamAdmin.showDraft({ draft: made.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const { items } = await as.platformAdmin.listAudit({ limit: 12 });
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(["draft.hand", "draft.delete"]));
  // One line for the declaration, however often it was saved within the hour.
  expect(items.filter(({ action }) => action === "draft.change")).toEqual([]);
  expect(JSON.stringify(items)).not.toContain("visits of 2024");
});

test("a check that was shown marks what the colleague declares, and a corrected upload in its place [M383]", async () => {
  const { as, people, instance } = fixture;
  const { id: file } = await upload(as.member, "1,F\n2,M\n3,F\n");
  const { id: draft } = await as.member.saveUnfinished({ name: "visits", form, file });
  const digest = (await instance.database.drafts.draft(draft)).upload?.digest ?? "";
  const { id: by } = await instance.database.people.principal(people.member);
  await instance.database.catalog.markChecked({ by, file, digest });
  const { id: corrected } = await upload(as.member, "1,F\n2,M\n3,M\n");
  expect((await as.member.changeUnfinished({ draft, file: corrected })).file?.id).toBe(corrected);
  await as.member.handDeclaration({ draft, person: people.teamAdmin });
  const name = "corrected visits";
  expect(await as.teamAdmin.createDataset({ name, file: corrected, declaration })).toMatchObject({ isFitted: true });
});

test("a check that the uploader sees after the hand-over marks what the colleague declares, over each draft of the file [M383]", async () => {
  const { as, people, instance } = fixture;
  const browser = browserOf(instance.fetch);
  const { url } = await clientOf(instance, instance.operatorToken).createSignInLink({ person: people.member });
  await browser.signIn({ link: new URL(url).hash.slice(1) });
  const { id: file } = await upload(browser, "4,F\n5,M\n");
  for (const person of [people.teamAdmin, people.datasetAdmin]) {
    const { id: draft } = await browser.saveUnfinished({ name: "visits", form, file });
    await browser.handDeclaration({ draft, person });
  }
  const again = await upload(browser, "4,F\n5,M\n");
  await browser.checkUpload({ file: again.id, declaration });
  for (const who of ["teamAdmin", "datasetAdmin"] as const) {
    const made = await as[who].createDataset({ name: `handed to ${who}`, file, declaration });
    expect(made).toMatchObject({ isFitted: true });
  }
});

test("what was typed stays when its upload is erased; a table of a connection is for platform admins", async () => {
  const { as, people } = fixture;
  const { id: file } = await upload(as.member, "7,F\n");
  const { id: draft } = await as.member.saveUnfinished({ name: "gone", form, file });
  await as.member.eraseFile({ file });
  expect(await as.member.showDraft({ draft })).toMatchObject({ form, file: null });
  await expect(as.member.saveUnfinished({ name: "table", form })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { id: table } = await as.platformAdmin.saveUnfinished({ name: "table", form });
  await expect(as.platformAdmin.handDeclaration({ draft: table, person: people.member })).rejects.toThrow(
    /platform admin/,
  );
  for (const person of [people.platformAdmin, "nobody"])
    await expect(as.platformAdmin.handDeclaration({ draft: table, person })).rejects.toMatchObject({
      code: expect.stringMatching(/INVALID_PARAMETER|NOT_FOUND/),
    });
});

test("a declaration is no plan, has at most 500,000 characters, and can be shown", async () => {
  const { as, dataset, memberAccount } = fixture;
  const { id: file } = await upload(as.member, "8,F\n");
  const { id: draft } = await as.member.saveUnfinished({ name: "kept", form, file });
  const plan = { statistics: [{ id: "people", statistic: "count", epsilon: "0.1" }] };
  await expect(as.member.changeDraft({ draft, plan })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const { id: other } = await as.member.saveDraft({ dataset, account: memberAccount, name: "plan", plan });
  await expect(as.member.changeUnfinished({ draft: other, form })).rejects.toMatchObject({ code: "NOT_FOUND" });
  for (const text of ["x".repeat(500_000), "turned \u202e round"])
    await expect(as.member.changeUnfinished({ draft, form: { text } })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
    });
  expect(await as.member.showDraft({ draft })).toMatchObject({ form });
});
