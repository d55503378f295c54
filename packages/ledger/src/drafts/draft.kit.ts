import { describe, expect, test } from "vitest";
import { type Build, codeOf } from "../testing/fixture.kit.ts";

export function draftKit(fixture: Build): void {
  describe("drafts", () => {
    test("a draft is changed and deleted with its comments; a team's list has it while it is shared", async () => {
      const { database, dataset, adas, ada, bob, team } = await fixture();
      const { drafts } = database;
      const plan = JSON.stringify({ statistics: [{ statistic: "count", where: "note = 'a \\ud800 b\nc'" }] });
      const made = await drafts.createDraft({
        by: ada.id,
        kind: "plan",
        dataset: dataset.id,
        account: adas.id,
        name: " First ",
        content: plan,
        team: null,
        upload: null,
      });
      expect(made).toMatchObject({ name: "First", owner: ada.id, team: null });
      expect(await drafts.draft(made.id)).toEqual(made);
      const listOf = async (owner: typeof ada.id, teams: readonly (typeof team.id)[]) =>
        (await drafts.drafts({ kinds: ["plan"], dataset: dataset.id, owner, teams })).items.map(({ id, comments }) => [
          id,
          comments,
        ]);
      expect(await listOf(bob.id, [team.id])).toEqual([]);
      await drafts.changeDraft({ draft: made.id, by: ada.id, team: team.id, name: "Second" });
      await drafts.commentDraft({ draft: made.id, by: bob.id, text: " Why?\nBecause. " });
      expect(await drafts.comments(made.id)).toMatchObject([{ by: bob.id, text: "Why?\nBecause." }]);
      expect(await listOf(bob.id, [team.id])).toEqual([[made.id, 1]]);
      expect(await listOf(ada.id, [])).toEqual([[made.id, 1]]);
      expect(await listOf(bob.id, [])).toEqual([]);
      await drafts.deleteDraft({ draft: made.id, by: ada.id });
      expect(await listOf(ada.id, [team.id])).toEqual([]);
      expect(await codeOf(drafts.draft(made.id))).toBe("NOT_FOUND");
      expect(await codeOf(drafts.commentDraft({ draft: made.id, by: bob.id, text: "late" }))).toBe("NOT_FOUND");
    });

    test("a declaration is of no dataset; its mark follows its owner and its bytes, and one who saw an older one changes nothing [M383]", async () => {
      const { database, dataset, ada, bob } = await fixture();
      const { drafts, catalog } = database;
      const isFitted = async (digest: string, by: typeof ada.id) =>
        (
          await catalog.createDataset({
            ...{ population: dataset.population, name: "visits", declaration: {}, source: { digest }, by },
          })
        ).isFitted;
      const begin = (by: typeof ada.id, digest: string) =>
        drafts.createDraft({
          ...{ by, kind: "declaration", dataset: null, account: null, name: "visits", content: "{}", team: null },
          upload: { file: `fil_${digest}`, digest },
        });
      const first = await begin(ada.id, "a1");
      const listed = await drafts.drafts({ kinds: ["declaration"], dataset: undefined, owner: ada.id, teams: [] });
      expect(listed.items).toMatchObject([{ id: first.id, dataset: null, upload: { file: "fil_a1" } }]);
      const onDataset = { kinds: ["plan"] as const, dataset: dataset.id, owner: ada.id, teams: [] };
      expect((await drafts.drafts(onDataset)).items).toEqual([]);
      // Not marked: nothing is passed.
      await drafts.changeDraft({ draft: first.id, by: ada.id, upload: { file: "fil_a2", digest: "a2" } });
      expect(await isFitted("a2", ada.id)).toBe(false);
      await catalog.markChecked({ by: ada.id, file: "fil_a2", digest: "a2" });
      const seen = await drafts.changeDraft({ draft: first.id, by: ada.id, upload: { file: "fil_a3", digest: "a3" } });
      expect(await isFitted("a3", ada.id)).toBe(true);
      const stale = drafts.changeDraft({ draft: first.id, by: ada.id, content: "{}", seen: first.changedAt });
      expect(await codeOf(stale)).toBe("CONFLICT");
      await drafts.changeDraft({ draft: first.id, by: ada.id, content: '{"a":1}', seen: seen.changedAt });
      expect(await isFitted("a3", bob.id)).toBe(false);
      expect(await drafts.hasUpload({ owner: bob.id, file: "fil_a3" })).toBe(false);
      await drafts.handDraft({ draft: first.id, by: ada.id, to: bob.id });
      expect(await isFitted("a3", bob.id)).toBe(true);
      expect(await isFitted("a1", bob.id)).toBe(false);
      expect(await drafts.draft(first.id)).toMatchObject({ owner: bob.id, content: '{"a":1}' });
      expect(await drafts.hasUpload({ owner: bob.id, file: "fil_a3" })).toBe(true);
      expect(await drafts.hasUpload({ owner: ada.id, file: "fil_a3" })).toBe(false);
      const bobs: string[] = [];
      for (let more = 0; more < 19; more++) bobs.push((await begin(bob.id, `b${more}`)).id);
      expect(await codeOf(begin(bob.id, "one too many"))).toBe("CONFLICT");
      const { id: late } = await begin(ada.id, "a4");
      const chained = await begin(ada.id, "c1");
      await drafts.changeDraft({ draft: chained.id, by: ada.id, upload: { file: "fil_c2", digest: "c2" } });
      await drafts.deleteDraft({ draft: bobs.at(-1) ?? "", by: bob.id });
      await drafts.handDraft({ draft: chained.id, by: ada.id, to: bob.id });
      expect(await isFitted("c2", bob.id)).toBe(false);
      await catalog.markChecked({ by: ada.id, file: "fil_c1", digest: "c1" }); // later than all of it
      expect(await isFitted("c2", bob.id)).toBe(true);
      expect(await isFitted("c1", bob.id)).toBe(false);
      expect(await codeOf(drafts.handDraft({ draft: late, by: ada.id, to: bob.id }))).toBe("CONFLICT");
    });
  });
}
