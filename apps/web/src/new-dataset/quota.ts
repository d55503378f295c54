import { errorText } from "@dosimeter/core/internal";
import { formatNumber } from "@dosimeter/plot";
import { countError } from "../parts/calculus.ts";
import { EPSILON, isTyped, numberOf, plainOf } from "../parts/number-text.ts";

/** What a quota is a part of: the ε of a ledger's lifetime, or what a payer has free. */
export interface Room {
  readonly epsilon: string;
  /** "the lifetime of adults", "what adults has free". */
  readonly what: string;
}

/** What the protected units are called; the catalogue knows the word for one only. */
export interface QuotaNoun {
  readonly one: string;
  readonly many?: string;
}

export interface QuotaChoice {
  readonly name: string;
  readonly epsilon: number;
}

const usual = [
  { name: "A few answers", epsilon: 0.1, share: 0.05 },
  { name: "A report", epsilon: 0.3, share: 0.1 },
  { name: "A year of reports", epsilon: 1, share: 0.25 },
] as const;

/** Three quotas: shares of the room where it is known, never rounded up. */
export function quotaChoices(room: Room | undefined): readonly QuotaChoice[] {
  const total = room === undefined ? Number.NaN : Number(room.epsilon);
  return usual.map(({ name, epsilon, share }) => ({
    name,
    epsilon: total > 0 ? twoDigits(total * share) : epsilon,
  }));
}

function twoDigits(value: number): number {
  const digits = 1 - Math.floor(Math.log10(value));
  // A product such as 3 × 0.1 is a little off: it is not one digit less.
  return Number((Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits));
}

/**
 * What all of ε buys at once, where each unit counts once. The mean is drawn as a sum around the middle of its range and
 * a count, each with half of ε: within 2 · (error of a count at 97.5 %) / n of the range.
 */
export function quotaBuys(epsilon: number, people: number | undefined, units: string | undefined): readonly string[] {
  const error = countError(epsilon, 0.05);
  const within = `One count: within ± ${errorText(error)}`;
  const named = units === undefined ? "" : ` ${units}`;
  // Without the size, the counts that this is a tenth of.
  if (people === undefined)
    return [
      `${within}${named} in 95 of 100 cases.`,
      `Of a count of ${formatNumber(10 * error, 3)} or more, that is at most a tenth. The size of the dataset is not said here.`,
    ];
  const count = `${within} of ${formatNumber(people, 3)}${named} in 95 of 100 cases.`;
  const part = (2 * countError(epsilon, 0.025)) / people;
  return [
    count,
    part < 0.5
      ? `One mean instead: within about ${formatNumber(100 * part, 2)} % of the range of its column.`
      : "One mean instead: too far off to be of use.",
  ];
}

/** What share of the room a typed quota is; undefined while none is typed. */
export function shareText(epsilon: string, room: Room | undefined): string | undefined {
  if (room === undefined || !isTyped(epsilon, EPSILON)) return undefined;
  const [typed, total] = [numberOf(plainOf(epsilon, EPSILON)), Number(room.epsilon)];
  if (!(total > 0)) return `Nothing is left of ${room.what}.`;
  return typed > total
    ? `ε ${epsilon} is more than ${room.what}, ε ${formatNumber(total, 3)}.`
    : `ε ${epsilon} is ${formatNumber((100 * typed) / total, 3)} % of ${room.what}, ε ${formatNumber(total, 3)}.`;
}
