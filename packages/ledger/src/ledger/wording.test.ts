import { amendTerms, openTerms, type Terms } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { type LedgerBlocks, type Quota, termsText } from "../values/terms.ts";
import { type CopiedVersion, copiedSentence } from "./copied.ts";
import { wordingsOf } from "./wording.ts";

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
  const over = { answersSeen, ...(ceiling === undefined ? {} : { ceiling }) };
  return [version(termsOf("1"), blocks, over), version(terms, blocks, over)];
};
const sentencesOf = (versions: readonly CopiedVersion[], blocks: LedgerBlocks | null): readonly string[] =>
  wordingsOf(blocks).map((words) => copiedSentence(versions, about, words));

const OPENED =
  "Everything ever released about this population, whatever was asked and in whatever order, is together 1-DP composed with (0, 0.000001)-DP; so it is (1, 0.000001)-DP. Population: visits; it holds when";
const RAISED =
  "Everything ever released about this population, whatever was asked and in whatever order, is together 2-DP composed with (0, 0.000001)-DP; so it is (2, 0.000001)-DP.";
const PAST =
  "Among the histories in which this version is the last, what was released is (2, 0.000001)-DP. Past the declared ceiling no unconditional sentence exists: the caps were raised after answers had been seen. In each month that no charge had named by then, what was released is (2, 0.000001)-DP";
const WITHIN =
  "Unconditionally, the ceiling declared at opening holds: Everything ever released about this population, whatever was asked and in whatever order, is together 3-DP composed with (0, 0.000001)-DP; so it is (3, 0.000001)-DP.";
const BOTH =
  "One person recorded in k months: k times this ε, and more than k times this δ. A record that gets another date counts in both months.";
const EARLIER =
  "What was released before this population had blocks is protected as version 1 says. Each month through 2030-12 counts it twice. One person with records before, and in k months asked about since, has the sum of version 1 and of k months; so has a record of a later month that had been measured before.";
const COHORT =
  "It holds as long as the source does not rewrite anyone's cohort, which is the month of their least date; one person";
const MONTH = "Population: visits; what is recorded of one person in one month is added or removed.";

/** Texts that ledgers were opened, raised and migrated with, letter for letter: they are never changed here, only added to. */
const frozen: readonly {
  of: string;
  versions: readonly CopiedVersion[];
  blocks: LedgerBlocks | null;
  texts: readonly string[];
}[] = [
  {
    of: "opened with periods",
    versions: [version(termsOf("1"), months)],
    blocks: months,
    texts: [
      "",
      ` ${BOTH}`,
      " Over k months together, one person has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 1 and δ = 0.000001 of each month. A record whose date changes counts in each month that it has been in.",
    ].map(
      (end) =>
        `${OPENED} what is recorded of any one person in any one month is added or removed, even if everyone who asks colludes and adapts to earlier answers.${end}`,
    ),
  },
  {
    of: "opened with periods, without δ",
    versions: [version(termsOf("1", "0"), months)],
    blocks: months,
    texts: [
      "Everything ever released about this population, whatever was asked and in whatever order, is together 1-DP. Population: visits; it holds when what is recorded of any one person in any one month is added or removed, even if everyone who asks colludes and adapts to earlier answers. One person recorded in k months: k times this ε. A record that gets another date counts in both months.",
    ],
  },
  {
    of: "opened with cohorts",
    versions: [version(termsOf("1"), cohorts)],
    blocks: cohorts,
    texts: [
      " who was moved is protected by the sum of both blocks.",
      " who was moved has the ε of all their cohorts together, and more than the δ of them together.",
      " who has been in k cohorts has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 1 and δ = 0.000001 of each cohort.",
    ].map(
      (end) =>
        `${OPENED} any one person is added or removed, even if everyone who asks colludes and adapts to earlier answers. ${COHORT}${end}`,
    ),
  },
  {
    of: "raised past its ceiling",
    versions: raise(months),
    blocks: months,
    texts: [
      `${PAST} unconditionally. ${MONTH}`,
      `${PAST}, whatever happens before a further raise. ${MONTH}`,
      `${PAST}, whatever happens before a further raise. ${MONTH} ${BOTH}`,
    ],
  },
  {
    of: "opened without blocks",
    versions: [version(termsOf("1"), null)],
    blocks: null,
    texts: [
      `${OPENED} any one person is added or removed, even if everyone who asks colludes and adapts to earlier answers.`,
    ],
  },
  {
    of: "opened with a ceiling",
    versions: [version(termsOf("1"), null, { ceiling: termsOf("3") })],
    blocks: null,
    texts: [
      `${OPENED} any one person is added or removed, even if everyone who asks colludes and adapts to earlier answers. The caps may be raised up to the ceiling declared at opening, (3, 0.000001)-DP; only that is unconditional.`,
    ],
  },
  {
    of: "raised up to its ceiling without blocks",
    versions: raise(null, termsOf("3")),
    blocks: null,
    texts: [
      `Among the histories in which this version is the last, what was released is (2, 0.000001)-DP. ${WITHIN} Population: visits; one person is added or removed.`,
    ],
  },
  ...[null, months].map((blocks) => ({
    of: `raised before any answer ${blocks === null ? "without" : "with"} blocks`,
    versions: raise(blocks, termsOf("3"), false),
    blocks,
    texts: [
      `${RAISED} ${blocks === null ? "Population: visits; one person is added or removed." : MONTH} It was raised before any answer had been given, so it holds unconditionally.`,
      ...["it holds unconditionally.", "it holds whatever happens before a further raise."].map(
        (until) =>
          `${RAISED} ${
            blocks === null
              ? "Population: visits; one person is added or removed."
              : `${MONTH} Over k months together, one person has at most kε and δ(e^(kε) − 1)/(e^ε − 1), with ε = 2 and δ = 0.000001 of each month. A record whose date changes counts in each month that it has been in.`
          } It was raised before any answer had been given, so ${until}`,
      ),
    ],
  })),
  {
    of: "raised up to its ceiling",
    versions: raise(months, termsOf("3")),
    blocks: months,
    texts: [" unconditionally.", ", whatever happens before a further raise."].map(
      (until) =>
        `Among the histories in which this version is the last, what was released is (2, 0.000001)-DP. In each month that no charge had named by then, what was released is (2, 0.000001)-DP${until} ${WITHIN} ${MONTH}`,
    ),
  },
  {
    of: "migrated",
    versions: [version(termsOf("1"), null), version(termsOf("1"), migrated)],
    blocks: migrated,
    texts: [
      `Among the histories in which this version is the last, what was released is (1, 0.000001)-DP. ${MONTH} ${EARLIER}`,
    ],
  },
  {
    of: "migrated and raised",
    versions: [version(termsOf("1"), null), version(termsOf("1"), migrated), version(termsOf("2"), migrated)],
    blocks: migrated,
    texts: [
      `${PAST}, whatever happens before a further raise. ${MONTH} ${EARLIER}`,
      `${PAST}, whatever happens before a further raise. ${MONTH} ${BOTH} ${EARLIER}`,
    ],
  },
];

describe.each(frozen)("a ledger that was $of", ({ versions, blocks, texts }) => {
  test("keeps the sentence of its day, and is one of those that its terms have given", () => {
    const [today, ...earlier] = sentencesOf(versions, blocks);
    expect(earlier).toEqual(expect.arrayContaining([...texts]));
    expect(texts).not.toContain(today);
    expect(copiedSentence(versions, about)).toBe(today);
  });

  test("what says less, more or the same of others is none of them", () => {
    const sentences = sentencesOf(versions, blocks);
    for (const text of texts)
      for (const other of [
        text.replace(/\d(?=,|-DP)/, "0"),
        `${text} No one loses more.`,
        text.replace("one person", "one patient"),
      ]) {
        expect(other).not.toBe(text);
        expect(sentences).not.toContain(other);
      }
  });
});

test("words that a version did not have are refused: no migration ever said what k months come to in the words of a ledger that was opened", () => {
  const versions = [version(termsOf("1"), null), version(termsOf("1"), migrated)];
  const never = `Among the histories in which this version is the last, what was released is (1, 0.000001)-DP. ${MONTH} ${BOTH} ${EARLIER}`;
  expect(sentencesOf(versions, migrated)).not.toContain(never);
});

test("a raise after a migration is about months that were not measured before, and says so [M166]", () => {
  const versions = [version(termsOf("1"), null), version(termsOf("1"), migrated), version(termsOf("2"), migrated)];
  const [today = "", ...earlier] = sentencesOf(versions, migrated);
  expect(today).toContain("In each month after 2030-12 that no charge had named by then");
  expect(today).toContain("Of what was released since: over k months together, one person has at most");
  expect(earlier.some((text) => text.includes("-DP unconditionally."))).toBe(false);
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
