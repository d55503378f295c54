import type { Reader } from "./reader.ts";
import type { Word } from "./words.ts";

export const MULTIPLES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
const MONTHS = "january february march april may june july august september october november december".split(" ");

const NUMBERS = new Map([
  ...SMALL.split(" ").map((each, at) => [each, at] as const),
  ...TENS.split(" ").map((each, at) => [each, 20 + 10 * at] as const),
]);
const PERIODS = new Map([
  ...MONTHS.flatMap((each, at) =>
    [each, each.slice(0, 3), ...(each === "september" ? ["sept"] : [])].map(
      (said) => [said, String(at + 1).padStart(2, "0")] as const,
    ),
  ),
  ...[1, 2, 3, 4].map((each) => [`q${each}`, `Q${each}`] as const),
]);

interface Piece extends Pick<Word, "key" | "scale"> {
  readonly kind: "number" | "date";
  readonly to: number;
}

const keyAt = (words: readonly Word[], at: number): string =>
  words[at]?.kind === "word" || words[at]?.kind === "symbol" ? (words[at]?.key ?? "") : "";
const multipleAt = (words: readonly Word[], at: number): number | undefined => {
  const key = keyAt(words, at);
  return Object.hasOwn(MULTIPLES, key) ? MULTIPLES[key] : undefined;
};

const isRangeAt = (words: readonly Word[], from: number): boolean => /^(?:between|from)$/.test(keyAt(words, from - 1));

interface Count {
  readonly value: number;
  readonly to: number;
}

/** Below a hundred: "twelve", "sixty-five". */
function smallAt(words: readonly Word[], at: number): Count | null {
  const value = NUMBERS.get(keyAt(words, at));
  if (value === undefined) return null;
  const next = at + (keyAt(words, at + 1) === "-" ? 2 : 1);
  const one = value < 20 ? undefined : NUMBERS.get(keyAt(words, next));
  return one === undefined || one === 0 || one > 9 ? { value, to: at + 1 } : { value: value + one, to: next + 1 };
}

/** Below a thousand, and "a" before what multiplies it. Of "one hundred and two hundred" the first, as of a range to "two thousand". */
function groupAt(words: readonly Word[], at: number, isRange: boolean): Count | null {
  const isOne = keyAt(words, at) === "a" && (keyAt(words, at + 1) === "hundred" || multipleAt(words, at + 1));
  const first = isOne ? { value: 1, to: at + 1 } : smallAt(words, at);
  if (first === null || keyAt(words, first.to) !== "hundred") return first;
  const to = first.to + 1;
  const isJoined = keyAt(words, to) === "and";
  const rest = smallAt(words, isJoined ? to + 1 : to);
  const isOther =
    rest === null ||
    keyAt(words, rest.to) === "hundred" ||
    (isRange && isJoined && multipleAt(words, rest.to) !== undefined);
  return isOther ? { value: 100 * first.value, to } : { value: 100 * first.value + rest.value, to: rest.to };
}

function countAt(words: readonly Word[], from: number): Piece | null {
  const isRange = isRangeAt(words, from);
  const first = groupAt(words, from, isRange);
  if (first === null) return null;
  let [total, { value, to }, least] = [0, first, Number.POSITIVE_INFINITY];
  for (let times = multipleAt(words, to); times !== undefined && times < least; times = multipleAt(words, to)) {
    [total, value, to, least] = [total + value * times, 0, to + 1, times];
    const isJoined = keyAt(words, to) === "and";
    const next = groupAt(words, isJoined ? to + 1 : to, isRange);
    if (next === null || (isRange && isJoined && (next.value >= 100 || multipleAt(words, next.to) !== undefined)))
      break;
    [value, to] = [next.value, next.to];
  }
  const last = keyAt(words, to - 1);
  const scale = multipleAt(words, to - 1) ?? (last === "hundred" ? 100 : undefined);
  return { kind: "number", key: String(total + value), to, ...(scale === undefined ? {} : { scale }) };
}

const isPlain = ({ kind, sign, scale, other }: Word): boolean =>
  kind === "number" && (sign ?? scale ?? other) === undefined;
const dayAt = (word: Word | undefined): string | null =>
  word !== undefined && isPlain(word) && /^(?:[1-9]|[12]\d|3[01])$/.test(word.key) ? word.key.padStart(2, "0") : null;
const yearAt = (word: Word | undefined): string | null =>
  word !== undefined && isPlain(word) && /^[12]\d{3}$/.test(word.key) ? word.key : null;

/** A month, or a quarter. */
export const isPeriod = (key: string): boolean => PERIODS.has(key);

/** "1 May 2019", "May 1st, 2019", "March 2020", "Q2 2021"; of "March to May 2020" each has the year, of "from 1 to 5 May 2020" the month. */
function dateAt(words: readonly Word[], from: number): Piece | null {
  const isFrom = isRangeAt(words, from);
  const nextAt = (joined: number): Piece | null =>
    /^(?:,|and|or|to|until|till|through|-|–)$/.test(keyAt(words, joined)) ? dateAt(words, joined + 1) : null;
  let day = dayAt(words[from]);
  let at = day === null ? from : from + (keyAt(words, from + 1) === "of" ? 2 : 1);
  const period = PERIODS.get(keyAt(words, at));
  if (period === undefined) {
    const [, of, last = ""] = /^(\d{4}-\d{2})-(\d{2})$/.exec((isFrom && day !== null && nextAt(at)?.key) || "") ?? [];
    return of !== undefined && day !== null && day <= last ? { kind: "date", key: `${of}-${day}`, to: at } : null;
  }
  at += 1;
  if (day === null && dayAt(words[at]) !== null) day = dayAt(words[at++]);
  const isQuarter = period.startsWith("Q");
  if (isQuarter && day !== null) return null;
  const named = `${period}${day === null ? "" : `-${day}`}`;
  const beside = at + (/^(?:,|of)$/.test(keyAt(words, at)) ? 1 : 0);
  const year = yearAt(words[beside]);
  if (year !== null) return { kind: "date", key: `${year}-${named}`, to: beside + 1 };
  const next = nextAt(at);
  if (next === null || next.key.slice(5).startsWith("Q") !== isQuarter) return null;
  // From November to February 2022 it is the November before.
  const isBefore = named <= next.key.slice(5);
  const of = Number(next.key.slice(0, 4)) - (isBefore ? 0 : 1);
  return isBefore || isFrom ? { kind: "date", key: `${of}-${named}`, to: at } : null;
}

/** The pieces of a sentence, numbers in words and dates with the name of their month as one each, where the table calls nothing so. */
export function spelled({ words, look }: Reader): readonly Word[] {
  const isSpelled = ({ kind, key }: Word): boolean =>
    kind === "word" && (NUMBERS.has(key) || PERIODS.has(key) || key === "hundred" || Object.hasOwn(MULTIPLES, key));
  if (!words.some(isSpelled)) return words;
  const made: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const first = words[at] as Word;
    const known = look(at, ["column", "value", "statistic"])?.to ?? at;
    // "No one" counts no one.
    const isPronoun = first.key === "one" && /^(?:no|any|every|some|each|which)$/.test(words[at - 1]?.key ?? "");
    const piece = known > at || isPronoun ? null : (dateAt(words, at) ?? countAt(words, at));
    const isCalled = words
      .slice(at, piece?.to)
      .some((each, place) => isSpelled(each) && look(at + place, ["column", "value", "statistic"]) !== null);
    if (piece === null || isCalled) made.push(...words.slice(at, Math.max(known, at + 1)));
    else {
      const { to, ...word } = piece;
      made.push({ ...word, at: first.at, end: words[to - 1]?.end ?? first.end });
    }
    at = piece === null || isCalled ? Math.max(known, at + 1) : piece.to;
  }
  return made;
}
