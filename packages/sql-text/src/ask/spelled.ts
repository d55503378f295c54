import { present } from "@dosimeter/core/internal";
import type { Reader } from "./reader.ts";
import type { Word } from "./words.ts";

export const MULTIPLES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const MONTHS = "january february march april may june july august september october november december".split(" ");
const NUMBERS = new Map([...SMALL.split(" "), ...TENS].map((each, at) => [each, at < 20 ? at : 10 * (at - 18)]));

/** A month as its number, also from its first letters, or a quarter. */
export function periodOf(key: string): string | null {
  if (/^q[1-4]$/.test(key)) return key.toUpperCase();
  const isShort = key.length === 3 || key === "sept";
  const month = MONTHS.findIndex((each) => each === key || (isShort && each.startsWith(key)));
  return month < 0 ? null : String(month + 1).padStart(2, "0");
}

/** Several pieces that are one, and the piece behind them. */
type Piece = Omit<Word, "at" | "end"> & { readonly to: number };
type Count = { readonly value: number; readonly to: number };
type Words = readonly Word[];

const keyAt = (words: Words, at: number): string =>
  (/word|symbol/.test(words[at]?.kind ?? "") ? words[at]?.key : "") ?? "";
const multipleAt = (words: Words, at: number): number | undefined =>
  Object.hasOwn(MULTIPLES, keyAt(words, at)) ? MULTIPLES[keyAt(words, at)] : undefined;
const isRangeAt = (words: Words, from: number): boolean => /^(?:between|from)$/.test(keyAt(words, from - 1));

/** Below a hundred: "twelve", "sixty-five". */
function smallAt(words: Words, at: number): Count | null {
  const value = NUMBERS.get(keyAt(words, at));
  if (value === undefined) return null;
  const next = at + (keyAt(words, at + 1) === "-" ? 2 : 1);
  const one = value < 20 ? 0 : (NUMBERS.get(keyAt(words, next)) ?? 0);
  return one === 0 || one > 9 ? { value, to: at + 1 } : { value: value + one, to: next + 1 };
}

/** Below a thousand, and "a" before what multiplies it. Of "one hundred and two hundred" the first, as of a range to "two thousand". */
function groupAt(words: Words, at: number, isRange: boolean): Count | null {
  const isOne = keyAt(words, at) === "a" && (keyAt(words, at + 1) === "hundred" || multipleAt(words, at + 1));
  const first = isOne ? { value: 1, to: at + 1 } : smallAt(words, at);
  if (first === null || keyAt(words, first.to) !== "hundred") return first;
  const to = first.to + 1;
  const isJoined = keyAt(words, to) === "and";
  const rest = smallAt(words, isJoined ? to + 1 : to);
  const isOther = isRange && isJoined && multipleAt(words, rest?.to ?? to) !== undefined;
  return rest === null || isOther || keyAt(words, rest.to) === "hundred"
    ? { value: 100 * first.value, to }
    : { value: 100 * first.value + rest.value, to: rest.to };
}

function totalAt(words: Words, from: number, isRange: boolean): Count | null {
  const first = groupAt(words, from, isRange);
  if (first === null) return null;
  let [total, { value, to }, least] = [0, first, Number.POSITIVE_INFINITY];
  for (let times = multipleAt(words, to); times !== undefined && times < least; times = multipleAt(words, to)) {
    [total, value, to, least] = [total + value * times, 0, to + 1, times];
    const isJoined = keyAt(words, to) === "and";
    const next = groupAt(words, isJoined ? to + 1 : to, isRange);
    if (next === null || (multipleAt(words, next.to) ?? 0) >= least) break;
    if (isRange && isJoined && (next.value >= 100 || multipleAt(words, next.to) !== undefined)) break;
    [value, to] = [next.value, next.to];
  }
  return { value: total + value, to };
}

function countAt(words: Words, from: number): Piece | null {
  const whole = totalAt(words, from, false);
  // "Between two hundred and fifty thousand and three hundred thousand" has another "and" for its two ends.
  const isBefore = whole !== null && /^(?:and|to|-|–)$/.test(keyAt(words, whole.to)) && isNumberAt(words, whole.to + 1);
  const found = isBefore || !isRangeAt(words, from) ? whole : totalAt(words, from, true);
  if (found === null) return null;
  const { value, to } = found;
  if (isPercentAt(words, to)) {
    const end = keyAt(words, to) === "per" ? to + 2 : to + 1;
    return { kind: "number", key: String(value / 100), to: end, sign: "%" };
  }
  const scale = multipleAt(words, to - 1) ?? (keyAt(words, to - 1) === "hundred" ? 100 : undefined);
  return { kind: "number", key: String(value), to, ...(scale === undefined ? {} : { scale }) };
}

const isNumberAt = (words: Words, at: number): boolean =>
  words[at]?.kind === "number" || totalAt(words, at, false) !== null;
const isPercentAt = (words: Words, at: number): boolean =>
  /^(?:%|percent)$/.test(keyAt(words, at)) || (keyAt(words, at) === "per" && keyAt(words, at + 1) === "cent");

/** A plain number of a form. */
function plainAt(word: Word | undefined, form: RegExp): string | null {
  const { kind, key = "", sign, scale, other } = word ?? {};
  return kind === "number" && (sign ?? scale ?? other) === undefined && form.test(key) ? key.padStart(2, "0") : null;
}

const DAY = /^(?:[1-9]|[12]\d|3[01])$/;
const YEAR = /^[12]\d{3}$/;

/** "1 May 2019", "May 1st, 2019", "March 2020", "Q2 2021"; of "March to May 2020" each has the year, of "from 1 to 5 May 2020" the month. */
function dateAt(words: Words, from: number): Piece | null {
  const isFrom = isRangeAt(words, from);
  const nextAt = (joined: number): string =>
    ((isFrom ? /^(?:,|and|or|to|until|till|through|-|–)$/ : /^(?:,|and|or|to|through|-|–)$/).test(
      keyAt(words, joined),
    ) &&
      dateAt(words, joined + 1)?.key) ||
    "";
  let day = plainAt(words[from], DAY);
  let at = day === null ? from : from + (keyAt(words, from + 1) === "of" ? 2 : 1);
  const period = periodOf(keyAt(words, at));
  if (period === null) {
    const [, of, last = ""] = /^(\d{4}-\d{2})-(\d{2})$/.exec(isFrom && day !== null ? nextAt(at) : "") ?? [];
    return of !== undefined && day !== null && day <= last ? { kind: "date", key: `${of}-${day}`, to: at } : null;
  }
  at += 1;
  day ??= plainAt(words[at], DAY);
  if (from + 1 === at && day !== null) at += 1;
  const isQuarter = period.startsWith("Q");
  if (isQuarter && day !== null) return null;
  const named = day === null ? period : `${period}-${day}`;
  const beside = at + (/^(?:,|of)$/.test(keyAt(words, at)) ? 1 : 0);
  const year = plainAt(words[beside], YEAR);
  // "May 2020 and 2021", "May 2020 2021" may be May of both.
  const another = beside + (/^(?:,|and|or)$/.test(keyAt(words, beside + 1)) ? 2 : 1);
  const isOfBoth = !isFrom && plainAt(words[another], YEAR) !== null;
  if (year !== null) return isOfBoth ? null : { kind: "date", key: `${year}-${named}`, to: beside + 1 };
  const next = nextAt(at);
  if (next === "" || next.slice(5).startsWith("Q") !== isQuarter) return null;
  // From November to February 2022 it is the November before.
  const isBefore = named <= next.slice(5);
  const key = `${Number(next.slice(0, 4)) - (isBefore ? 0 : 1)}-${named}`;
  return isBefore || isFrom ? { kind: "date", key, to: at } : null;
}

const isSpelled = ({ kind, key }: Word): boolean =>
  kind === "word" && (NUMBERS.has(key) || periodOf(key) !== null || key === "hundred" || Object.hasOwn(MULTIPLES, key));

/** The pieces of a sentence, numbers in words and dates with the name of their month as one each, where the table calls nothing so. */
export function spelled({ words, look }: Reader): Words {
  if (!words.some(isSpelled)) return words;
  const made: Word[] = [];
  const called = (at: number): number => look(at, ["column", "value", "statistic"])?.to ?? at;
  for (let at = 0; at < words.length; ) {
    const first = words[at] as Word;
    const known = called(at);
    // "No one" counts no one.
    const isPronoun = first.key === "one" && /^(?:no|any|every|some|each|which)$/.test(words[at - 1]?.key ?? "");
    const piece = known > at || isPronoun ? null : (dateAt(words, at) ?? countAt(words, at));
    const end = piece?.to ?? Math.max(known, at + 1);
    const parts = words.slice(at, end);
    if (piece === null || parts.some((each, place) => isSpelled(each) && called(at + place) > at + place))
      made.push(...parts);
    else
      made.push({
        kind: piece.kind,
        key: piece.key,
        ...present({ scale: piece.scale, sign: piece.sign }),
        at: first.at,
        end: parts.at(-1)?.end ?? first.end,
      });
    at = end;
  }
  return made;
}
