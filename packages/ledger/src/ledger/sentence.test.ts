import { amendTerms, openTerms, type Terms } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { type CopiedVersion, copiedSentence } from "../restore/copied.ts";
import { type LedgerBlocks, type Quota, termsText } from "../values/terms.ts";

const about = { name: "visits", privacyUnit: "person" };
const months = { every: "month", zone: "Europe/Berlin" } as const;
const cohorts = { ...months, protects: "person" } as const;
const migrated = { ...months, earlier: { version: 1, through: 731, times: 2, isClosed: false } } as const;

const termsOf = (epsilon: string, delta = "1e-6"): Terms =>
  openTerms({ epsilon, delta, rule: "addition", adjacency: "addRemove" });
const version = (
  terms: Terms,
  blocks: LedgerBlocks | null,
  { ceiling = terms, answersSeen = true }: { ceiling?: Quota; answersSeen?: boolean } = {},
): CopiedVersion => ({ terms: termsText(terms, ceiling, blocks), answersSeen });
const raise = (blocks: LedgerBlocks | null, ceiling?: Quota, answersSeen = true): readonly CopiedVersion[] => {
  const { terms } = amendTerms(termsOf("1"), { epsilon: "2", delta: "1e-6" }, { ceiling: null, answersSeen });
  const over = { answersSeen, ...present({ ceiling }) };
  return [version(termsOf("1"), blocks, over), version(terms, blocks, over)];
};

test("a raise after a migration is about months that were not measured before, and says so [M166]", () => {
  const versions = [version(termsOf("1"), null), version(termsOf("1"), migrated), version(termsOf("2"), migrated)];
  const sentence = copiedSentence(versions, about);
  expect(sentence).toContain("In each month after 2030-12 that no charge had named by then");
  expect(sentence).toContain("Of what was released since: over k months together, one person has at most");
});

test("what was opened without a ceiling above it, or raised before any answer, says until when it holds: blocks end it too [M22] [M168]", () => {
  for (const [blocks, end] of [
    [null, " or the ledger gets blocks"],
    [months, ""],
    [cohorts, ""],
  ] as const) {
    const opened = copiedSentence([version(termsOf("1"), blocks)], about);
    expect(opened.endsWith(` The promise is for whatever is asked until the lifetime is raised${end}.`)).toBe(true);
    const again = copiedSentence(raise(blocks, termsOf("3"), false), about);
    expect(again).toContain(`so the promise is for whatever is asked until the lifetime is raised again${end}.`);
  }
});

test("what a raise and its ceiling come to over k periods is said of each, with its numbers", () => {
  const [first, ceiling] = [termsOf("1", "0"), termsOf("3")];
  const raised = amendTerms(first, { epsilon: "2", delta: "0" }, { ceiling, answersSeen: true });
  const of = (versions: readonly CopiedVersion[]) => copiedSentence(versions, about);
  const most = (epsilon: number) =>
    `kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = ${epsilon} and δ = 0.000001 of each month. A record`;
  const both = (epsilon: number) => `has at most kε, with ε = ${epsilon} of each month; by the ceiling, ${most(3)}`;
  expect(of([version(first, months, { ceiling })])).toContain(both(1));
  expect(of([version(first, months, { ceiling }), version(raised.terms, months, { ceiling })])).toContain(both(2));
  expect(of(raise(months))).toContain(`has at most ${most(2)}`);
});
