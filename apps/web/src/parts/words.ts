import type { Account, PublicGuarantee } from "@dosimeter/client";
import {
  type BlockPromise,
  type CalendarUnit,
  deltaAmount,
  epsilonAmount,
  formatDelta,
  formatEpsilon,
  lossAcrossBlocks,
} from "@dosimeter/core";
import { formatAmount } from "@dosimeter/plot";

/** A message with the thousands of its numbers grouped. What stands in quotes, or is part of a name, stays as it was typed. */
export const grouped = (message: string): string =>
  message.replaceAll(/(?<![\p{L}\p{N}_.,:/“"'#])\d{5,}(?![\p{L}\p{N}_”"']|,\d)/gu, (digits) =>
    digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ","),
  );

/** Words in a name of which a column holds kinds or places, also where they are written as numbers. */
export const CATEGORY_WORDS =
  /^(?:sex|gender|race|ethnicity|state|region|country|county|ward|kind|type|category|group|class|status|level|educ|education|schooling|occupation|industry|language|religion|diagnosis|department|puma|fips|city)$/;

/** The words of a name: `householdSize_2` has household and size. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");

const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

/** A share of all rows for people: "2.5%". */
export const shareOfRows = (share: number): string => percent.format(share);

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A UTC time in the reader's time zone and format. */
export const dayText = (iso: string): string => day.format(new Date(iso));
export const momentText = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? iso : moment.format(new Date(iso)));

/** An example that a ledger soon has, and its people too. */
const examples: Readonly<Record<CalendarUnit, number>> = { day: 12, week: 12, month: 12, quarter: 4, year: 2 };

/** What the promise of one block comes to for someone who is in several: an example with numbers, rounded up, where the exact statement has a formula. [M163] [M170] */
export function acrossWords(
  noun: string,
  blocks: NonNullable<PublicGuarantee["blocks"]>,
  promised: BlockPromise,
): string {
  const count = blocks.protects === "person" ? 2 : examples[blocks.every];
  const block = { epsilon: epsilonAmount(promised.epsilon, "up"), delta: deltaAmount(promised.delta, "up") };
  const { epsilon, delta } = lossAcrossBlocks(Array.from({ length: count }, () => block));
  const most = `ε = ${formatAmount(formatEpsilon(epsilon), "up")}`;
  const both = delta === 0 ? most : `${most} and δ = ${formatAmount(formatDelta(deltaAmount(delta, "up")), "up")}`;
  const loss = delta >= 1 ? "this promises nothing" : `this promises at most ${both} together`;
  return blocks.protects === "person"
    ? `One ${noun} whom the source moves to another cohort is protected less: of two cohorts, ${loss}.`
    : `One ${noun} with records in several ${blocks.every}s is protected less: with ${count} ${blocks.every}s, ${loss}. A record whose date changes counts in each ${blocks.every} that it has been in.`;
}

/** Budgets to choose from, by their places in the tree. */
export const budgetChoices = (accounts: readonly Pick<Account, "id" | "path">[] = []) =>
  accounts.map(({ id, path }) => ({ value: id, label: path.join(" › ") }));
