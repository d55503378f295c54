import { expect, test } from "vitest";
import { fixtureOf, instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, clientOf, tokenFor, unhurried } from "../instance.kit.ts";

const fixture = fixtureOf();

const plan = { statistics: [{ id: "people", statistic: "count", epsilon: "0.1" }] };
const draftOf = (more: object = {}) => ({
  dataset: fixture.dataset,
  account: fixture.memberAccount,
  name: "First look",
  plan,
  ...more,
});

test("a draft is its owner's until it is shared with a team of theirs; then the team reads it and talks about it", async () => {
  const { as, dataset, team } = fixture;
  const made = await as.member.saveDraft(draftOf());
  expect(made).toMatchObject({ name: "First look", plan, team: null, isMine: true, comments: 0, said: [] });
  const seenBy = async (who: "member" | "teamAdmin" | "datasetAdmin" | "auditor" | "platformAdmin") =>
    (await as[who].listDrafts({ dataset })).items.some(({ id }) => id === made.id);
  expect([await seenBy("member"), await seenBy("teamAdmin")]).toEqual([true, false]);
  await expect(as.teamAdmin.showDraft({ draft: made.id })).rejects.toMatchObject({ code: "NOT_FOUND" });

  await as.member.changeDraft({ draft: made.id, team });
  expect(await seenBy("teamAdmin")).toBe(true);
  for (const who of ["datasetAdmin", "auditor", "platformAdmin"] as const) expect(await seenBy(who), who).toBe(false);
  const said = await as.teamAdmin.commentDraft({ draft: made.id, text: "Why not the mean?\nIt costs less." });
  expect(said).toMatchObject({ isMine: false, comments: 1, said: [{ text: "Why not the mean?\nIt costs less." }] });
  await expect(as.teamAdmin.changeDraft({ draft: made.id, name: "Mine" })).rejects.toMatchObject({ code: "FORBIDDEN" });

  await as.member.changeDraft({ draft: made.id, team: null, name: "Second look" });
  expect(await seenBy("teamAdmin")).toBe(false);
  await as.member.deleteDraft({ draft: made.id });
  await expect(as.member.showDraft({ draft: made.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const { items } = await as.platformAdmin.listAudit({ limit: 6 });
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["draft.delete", "draft.change", "draft.comment"]),
  );
  expect(JSON.stringify(items)).not.toContain("Second look");
});

test("a team shows a draft only to those in it now who may see the dataset themselves", async () => {
  const { as, instance, team, dataset } = fixture;
  const { id: person } = await clientOf(instance, instance.operatorToken).createPerson({ name: "A newcomer" });
  const newcomer = clientOf(instance, await tokenFor(instance, person));
  const { id: draft } = await as.member.saveDraft(draftOf({ team }));
  await as.teamAdmin.addMember({ team, person });
  expect(await newcomer.showDraft({ draft })).toMatchObject({ plan, isMine: false });
  await as.teamAdmin.removeMember({ team, person });
  await expect(newcomer.showDraft({ draft })).rejects.toMatchObject({ code: "NOT_FOUND" });

  // A team without an account on the dataset: being in it does not show the dataset, nor plans on it.
  const { id: readers } = await as.member.createTeam({ name: "Readers" });
  await as.member.addMember({ team: readers, person });
  await as.member.changeDraft({ draft, team: readers });
  await expect(newcomer.showDraft({ draft })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(newcomer.commentDraft({ draft, text: "seen" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(newcomer.listDrafts({ dataset })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("an admin of the team takes down a draft that was shared with it, also when its owner is gone", async () => {
  const { as, instance, team } = fixture;
  const { id: person } = await clientOf(instance, instance.operatorToken).createPerson({ name: "Someone who leaves" });
  const leaving = clientOf(instance, await tokenFor(instance, person));
  await as.teamAdmin.addMember({ team, person });
  const [own, other] = [
    await as.member.saveDraft(draftOf({ team })),
    await leaving.saveDraft(draftOf({ team, account: fixture.teamAccount })),
  ];
  await expect(leaving.deleteDraft({ draft: own.id })).rejects.toMatchObject({ code: "FORBIDDEN" });
  await as.platformAdmin.removePerson({ person });
  expect(await as.teamAdmin.showDraft({ draft: other.id })).toMatchObject({ isMine: false, mayDelete: true });
  for (const { id } of [own, other]) await as.teamAdmin.deleteDraft({ draft: id });
  await expect(as.teamAdmin.showDraft({ draft: other.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a draft is on an account of its dataset, and shared with a team of one's own only", async () => {
  const { as } = fixture;
  const { id: elsewhere } = await as.stranger.createTeam({ name: "Elsewhere" });
  await expect(as.member.saveDraft(draftOf({ team: elsewhere }))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(as.stranger.saveDraft(draftOf())).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test.each([
  [{ name: "a\u202eb" }, /name/],
  [{ name: "\u200b" }, /name/],
  [{ plan: { statistics: [{ id: "a\u202eb", statistic: "count" }] } }, /statistics.*id/],
  [{ plan: { statistics: [{ statistic: "count", where: "note = '\u202e'" }] } }, /plan/],
  [{ plan: { statistics: [{ statistic: "count", column: "half \ud800" }] } }, /plan/],
  [{ plan: { statistics: [{ statistic: "count", column: "x".repeat(100), where: "x".repeat(70_000) }] } }, /plan/],
  [{ plan: { ...plan, format: "dosimeter-plan/1", hash: "0".repeat(64) } }, /hash|edited|changed|saved/],
])("a draft that cannot be shown or opened is refused: %#", async (more, words) => {
  await expect(fixture.as.member.saveDraft(draftOf(more))).rejects.toThrow(words);
});

test("a comment is 1 to 2000 printable characters", async () => {
  const { id: draft } = await fixture.as.member.saveDraft(draftOf());
  for (const text of [" ", "turned \u202e round", "\u0000"])
    await expect(fixture.as.member.commentDraft({ draft, text })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});

test("one owner keeps at most 100 drafts on one dataset, and one draft has at most 200 comments", async () => {
  const { database } = fixture.instance;
  const account = await database.ledgers.account(fixture.memberAccount);
  const { id: dataset } = await database.catalog.dataset(fixture.dataset);
  const { id: by } = await database.people.principal(fixture.people.auditor);
  const draft = {
    by,
    kind: "plan" as const,
    dataset,
    account: account.id,
    name: "many",
    content: JSON.stringify(plan),
    team: null,
    upload: null,
  };
  for (let made = 0; made < 100; made++) await database.drafts.createDraft(draft);
  await expect(database.drafts.createDraft(draft)).rejects.toMatchObject({ code: "CONFLICT" });
  const first = await database.drafts.drafts({ kinds: ["plan"], dataset, owner: by, teams: [], limit: 60 });
  const rest = await database.drafts.drafts({
    kinds: ["plan"],
    dataset,
    owner: by,
    teams: [],
    limit: 60,
    after: first.next ?? "",
  });
  expect([first.items.length, rest.items.length, rest.next]).toEqual([60, 40, null]);
  const id = first.items[0]?.id ?? "";
  for (let said = 0; said < 200; said++) await database.drafts.commentDraft({ draft: id, by, text: "more" });
  await expect(database.drafts.commentDraft({ draft: id, by, text: "more" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
});

test("a plan that is typed is one of its person's on a dataset, in no list of drafts, and a tab that saw an older one undoes nothing", async () => {
  const { as, dataset, memberAccount: account, people } = fixture;
  const form = { plan: { rows: [] }, settings: { s1: { statistic: "mean" } } };
  const made = await as.member.saveUnfinished({ dataset, account, name: "typed", form });
  expect(made).toMatchObject({ kind: "unfinishedPlan", dataset, account, form, plan: null, team: null });
  const typed = { ...form, nextId: 2 };
  const { changedAt } = await as.member.changeUnfinished({ draft: made.id, form: typed, seen: made.changedAt });
  const { id: draft } = made;
  const conflict = expect.objectContaining({ code: "CONFLICT" });
  await expect(as.member.changeUnfinished({ draft, form, seen: made.changedAt })).rejects.toThrow(conflict);
  await expect(as.member.saveUnfinished({ dataset, account, name: "another", form })).rejects.toThrow(conflict);
  const [listed] = (await as.member.listUnfinished({ dataset })).items;
  expect(listed).toMatchObject({ id: draft, name: "typed", changedAt });
  expect(await as.member.showDraft({ draft })).toMatchObject({ form: typed });
  expect((await as.member.listDrafts({ dataset })).items.map(({ id }) => id)).not.toContain(draft);

  for (const who of ["teamAdmin", "datasetAdmin", "platformAdmin"] as const) {
    await expect(as[who].showDraft({ draft }), who).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await as[who].listUnfinished()).items, who).toEqual([]);
  }
  // It is no draft with a name, and no declaration; nor is it typed on another's account, or without its dataset.
  const notFound = expect.objectContaining({ code: "NOT_FOUND" });
  await expect(as.member.changeDraft({ draft, plan })).rejects.toThrow(notFound);
  await expect(as.member.handDeclaration({ draft, person: people.teamAdmin })).rejects.toThrow(notFound);
  await expect(as.stranger.saveUnfinished({ dataset, account, name: "theirs", form })).rejects.toThrow(notFound);
  await expect(as.member.saveUnfinished({ account, name: "half", form })).rejects.toMatchObject({
    code: "INVALID_PARAMETER",
  });
  await as.member.deleteDraft({ draft });
  const { items } = await as.platformAdmin.listAudit({ limit: 4 });
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(["draft.create", "draft.delete"]));
  expect(items.map(({ action }) => action)).not.toContain("draft.change");
});

test("what is typed is saved as often as its length allows, and no one pays for someone else", async () => {
  const rates = { ...unhurried, typing: { burst: 11, perMinute: 1e-3 } };
  const { as, dataset, memberAccount: account } = await buildFixture(await instanceOfTest({ rates }));
  const { id: draft } = await as.member.saveUnfinished({ dataset, account, name: "typed", form: {} });
  const limited = expect.objectContaining({ code: "RATE_LIMITED" });
  await as.member.changeUnfinished({ draft, form: { note: "a" } });
  await as.member.changeUnfinished({ draft, form: { note: "a".repeat(150_000) } });
  await expect(as.member.changeUnfinished({ draft, form: { note: "b".repeat(50_000) } })).rejects.toThrow(limited);
  await as.member.changeUnfinished({ draft, form: { note: "c" } });
  await expect(as.member.changeUnfinished({ draft, form: { note: "d" } })).rejects.toThrow(limited);
  expect(await as.member.showDraft({ draft })).toMatchObject({ form: { note: "c" } });
  await expect(as.teamAdmin.changeUnfinished({ draft, form: {} })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
