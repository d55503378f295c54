import { emptyDraft, type PlanDraft } from "@dosimeter/planner";
import { expect, test } from "vitest";
import { totalShown } from "./PlanBar.tsx";
import { shownNotices } from "./PlanNotes.tsx";
import { releaseWords } from "./reviewed.ts";

const withNotice = (from: string, to: string): PlanDraft => ({
  ...emptyDraft("1"),
  notices: [{ kind: "released", id: "a", from, to }],
});

test("a change that three digits do not show is not listed", () => {
  expect(shownNotices(withNotice("0.2", "0.199005"))).toEqual([]);
  expect(shownNotices(withNotice("0.2", "0.198"))).toHaveLength(1);
});

test("a release that costs nothing says that nothing is spent", () => {
  expect(releaseWords("0.2")).toBe("Spend ε 0.2 and release");
  expect(releaseWords("0")).toBe("Release, spending nothing");
});

test("ε of the plan is shown as typed, and a sum of rows in three digits, up", () => {
  for (const typed of ["0.201", "1.191", "12.5", "0.000000000001", "1"])
    expect(totalShown({ epsilon: typed })).toBe(typed);
  expect(totalShown({ epsilon: "0.334833333333" })).toBe("0.335");
  expect(totalShown({ epsilon: "0" })).toBe("");
});
