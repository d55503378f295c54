import { invalid } from "../error.ts";
import { toDouble } from "./double.ts";
import { compare, parseRational, type Rational } from "./rational.ts";

/** What a field or a flag takes: a number in a range. */
export interface NumberWish {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
  readonly isWhole?: boolean;
  /** `5 %` is taken for 0.05. */
  readonly isShare?: boolean;
}

export interface TypedNumber {
  readonly exact: Rational;
  /** What `parseRational` and the amounts read: `20000`, `1e-5`, `1/3`. */
  readonly plain: string;
  /** The nearest double. */
  readonly value: number;
}

// A first group of 0 would make 500 of “0,500”, which is half of one in most of Europe.
const WHOLE = String.raw`(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?: \d{3})+)`;
const DECIMAL = String.raw`(?:${WHOLE}(?:\.\d*)?|\.\d+)`;
const decimal = new RegExp(`^([+-]?)(${DECIMAL})(?:[eE]([+-]?\\d{1,3}))?$`);
const power = new RegExp(`^([+-]?)(?:(${DECIMAL}) ?[×*] ?)?10\\^([+-]?\\d{1,3})$`);
const fraction = /^([+-]?\d+) ?\/ ?(\d+)$/;
const raised = /10([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/;
const MAX_LENGTH = 120;

/**
 * `20,000`, `20 000` (any space), `1e-5`, `10^-5`, `2×10⁻⁵` and `1/3` as a text that `parseRational` reads; null for anything
 * else. Groups have three digits, decimals a point: `0,5` is null.
 */
export function plainNumber(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const typed = text
    .trim()
    .replaceAll(/[\u00a0\u2007\u2009\u202f]/g, " ")
    .replaceAll("−", "-")
    .replace(raised, (_, digits: string) => `10^${[...digits].map((digit) => lowered(digit)).join("")}`);
  const [, top, bottom] = fraction.exec(typed) ?? [];
  if (top !== undefined && bottom !== undefined) return /^0+$/.test(bottom) ? null : `${top}/${bottom}`;
  const [, sign = "", digits = "1", exponent = "0"] = decimal.exec(typed) ?? power.exec(typed) ?? [undefined, "", ""];
  if (digits === "") return null;
  const number = digits.replaceAll(/[, ]/g, "").replace(/^\./, "0.").replace(/\.$/, "");
  return `${sign === "-" ? "-" : ""}${number}${Number(exponent) === 0 ? "" : `e${Number(exponent)}`}`;
}

const lowered = (digit: string): string => {
  const at = "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit);
  return at >= 0 ? String(at) : digit === "⁻" ? "-" : "";
};

/** The number that a person typed, exactly. Errors: INVALID_PARAMETER with the wish in words, for a text that is none or lies outside. */
export function typedNumber(text: string, wish: NumberWish = {}, name = "value"): TypedNumber {
  const refuse = (hint = ""): never =>
    invalid(name, text.trim() === "" ? undefined : text.trim(), wishText(wish) + hint);
  const percent = wish.isShare === true ? /^(.*?)\s*%\s*$/u.exec(text)?.[1] : undefined;
  const found = plainNumber(percent ?? text);
  if (found === null) return refuse(pointHint(text));
  const plain = percent === undefined ? found : hundredth(found);
  // Digits after the point and the power together may go beyond what is read.
  const exact = readOr(plain, refuse);
  const value = nearest(plain, exact);
  const isLost = !Number.isFinite(value) || (value === 0 && exact.numerator !== 0n);
  const isOdd = wish.isWhole === true && (exact.denominator !== 1n || !Number.isSafeInteger(value));
  return isLost || isOdd || !isInside(exact, wish) ? refuse() : Object.freeze({ exact, plain, value });
}

function readOr(plain: string, refuse: () => never): Rational {
  try {
    return parseRational(plain);
  } catch {
    return refuse();
  }
}

function isInside(exact: Rational, { min, above, max, below }: NumberWish): boolean {
  const against = (bound: number): bigint => compare(exact, parseRational(bound));
  return (
    (min === undefined || against(min) >= 0n) &&
    (above === undefined || against(above) > 0n) &&
    (max === undefined || against(max) <= 0n) &&
    (below === undefined || against(below) < 0n)
  );
}

function hundredth(plain: string): string {
  if (plain.includes("/")) return `${plain}00`;
  const [digits = "0", exponent = "0"] = plain.split("e");
  return `${digits}e${Number(exponent) - 2}`;
}

function nearest(plain: string, exact: Rational): number {
  if (!plain.includes("/")) return Number(plain);
  const [top, bottom] = [Number(exact.numerator), Number(exact.denominator)];
  return Number.isSafeInteger(top) && Number.isSafeInteger(bottom) ? top / bottom : toDouble(exact, "down");
}

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 });
const shown = (bound: number): string => (bound !== 0 && Math.abs(bound) < 1e-4 ? String(bound) : number.format(bound));

/** “a whole number from 1 to 1,000”, “a number above 0 and below 1”. */
export function wishText({ min, above, max, below, isWhole, isShare }: NumberWish): string {
  const noun = isWhole ? "a whole number" : "a number";
  const share = isShare ? ", or a percentage" : "";
  if (min !== undefined && max !== undefined) return `${noun} from ${shown(min)} to ${shown(max)}${share}`;
  const bounds = [
    above === undefined ? "" : `above ${shown(above)}`,
    min === undefined ? "" : `of at least ${shown(min)}`,
    max === undefined ? "" : `${above === undefined ? "of " : ""}at most ${shown(max)}`,
    below === undefined ? "" : `below ${shown(below)}`,
  ].filter((bound) => bound !== "");
  return `${[noun, bounds.join(" and ")].filter((part) => part !== "").join(" ")}${share}`;
}

/** Says how to write what was probably meant. */
function pointHint(text: string): string {
  const [, whole, part] = /^\s*([+-]?\d+),(\d+)\s*$/.exec(text) ?? [];
  return whole === undefined ? "" : `: use a point, ${whole}.${part}`;
}
