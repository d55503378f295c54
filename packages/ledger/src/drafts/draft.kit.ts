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
        dataset: dataset.id,
        account: adas.id,
        name: " First ",
        plan,
        team: null,
      });
      expect(made).toMatchObject({ name: "First", owner: ada.id, team: null });
      expect(await drafts.draft(made.id)).toEqual(made);
      const listOf = async (owner: typeof ada.id, teams: readonly (typeof team.id)[]) =>
        (await drafts.drafts({ dataset: dataset.id, owner, teams })).items.map(({ id, comments }) => [id, comments]);
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
  });
}
