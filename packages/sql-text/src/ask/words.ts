/** A piece of a question: a word in its plain form, a number, or what stands in quotes. */
export interface Word {
  readonly kind: "word" | "number" | "date" | "name" | "text" | "symbol";
  /** What it is compared by: of a word its singular in small letters, of a number its value. */
  readonly key: string;
  readonly at: number;
  readonly end: number;
  /** Of a number with a comma or a point, what it may be as well: `12,5` two numbers, `1,500` one with decimals, `1.500` one without. */
  readonly other?: string;
  /** Of a number, the sign of a currency before it, or % behind it. */
  readonly sign?: string;
  /** Of a number with `k` or `M`, what it was multiplied by. */
  readonly scale?: number;
}

export const MAX_QUESTION = 1000;

// A comma is a point behind thousands that are set apart by something else, or where it cannot begin thousands.
const COMMA = String.raw`[1-9]\d{0,2}(?:(?:[.\u00a0\u202f ]\d{3}){1,5},\d+|(?:\.\d{3}){2,5})(?![,.]?\d)|(?![1-9]\d{0,2}(?:,\d{3})+(?!\d))\d+(?:,\d+){1,20}(?![,.]?\d)`;
const DIGITS = String.raw`(?:[1-9]\d{0,2}(?:[,'’\u00a0\u202f ]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+`;
// Each branch begins with a character of its own, and no repetition holds another that could match the same: one pass over the text.
const PIECE = new RegExp(
  [
    `"(?<name>[^"]*(?:""[^"]*)*)"`,
    String.raw`['‘](?<text>[^'’]*(?:''[^'’]*)*)['’](?![\p{L}\p{N}])`,
    `[“„](?<quoted>[^“”]*)[“”]`,
    String.raw`(?<date>\d{4}-(?:\d{2}|[WQ]\d{1,2})(?:-\d{2}(?:T[\d:.]{2,12}(?:Z|[+-]\d{2}:?\d{2})?)?)?)(?![\p{L}\p{N}])`,
    String.raw`(?:(?<sign>\p{Sc})\s?)?(?<number>(?:(?<![\p{L}\p{N})])[-+−])?(?:(?<comma>${COMMA})|${DIGITS}))(?:(?<scale>[kKmM](?![\p{L}\p{N}]))|(?<part>\s?(?:%|per\s?cent(?![\p{L}\p{N}])))|(?:st|nd|rd|th)(?![\p{L}\p{N}]))?`,
    String.raw`(?<word>\p{L}[\p{L}\p{M}\p{N}]*(?:['’](?:s|t|re)(?![\p{L}\p{N}]))?)`,
    String.raw`(?<symbol>\(\*\)|<=|>=|=<|=>|!=|<>|[^\s\p{L}])`,
  ].join("|"),
  "gu",
);

const IRREGULAR: Readonly<Record<string, string>> = {
  women: "woman",
  men: "man",
  persons: "people",
  person: "people",
  children: "child",
  females: "female",
  isn: "is",
};

/** The last letters of words whose singular may be another. */
const STEMMED = new Set("sexzh");

/** The singular of an English word, near enough that two forms of one word meet: only compared, never shown. */
export function stem(word: string): string {
  const plain = /^[A-Za-z]+$/.test(word)
    ? word.toLowerCase()
    : word
        .normalize("NFKD")
        .replaceAll(/\p{M}/gu, "")
        .toLowerCase()
        .replace(/['’]s$/, "");
  const irregular = Object.hasOwn(IRREGULAR, plain) ? IRREGULAR[plain] : undefined;
  if (irregular !== undefined) return irregular;
  if (plain.length < 4 || !STEMMED.has(plain.at(-1) ?? "") || /(?:ss|us|[^s]is)$/.test(plain)) return plain;
  if (plain.endsWith("ies")) return `${plain.slice(0, -3)}y`;
  // Size and sizes, class and classes, diagnosis and diagnoses.
  if (/(?:s|x|z|ch|sh)es?$|sis$/.test(plain)) return plain.replace(/(?:es?|is)$/, "");
  return plain.endsWith("s") ? plain.slice(0, -1) : plain;
}

const SCALES: Readonly<Record<string, number>> = { k: 1000, m: 1_000_000 };

/** The pieces of a text, from the left, in time that grows with the text. `homeRegion` and `home_region` are two words each. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: whole, index, groups = {} } of text.matchAll(PIECE)) {
    const { name, quoted, date, sign, number, comma, scale, part, word, symbol } = groups;
    const to = index + whole.length;
    if (word !== undefined) {
      let at = index;
      for (const piece of word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=n)(?=['’]t$)/u)) {
        const key = /^['’]t$/.test(piece) ? "not" : stem(piece);
        words.push({ kind: "word", key, at, end: at + piece.length });
        at += piece.length;
      }
    } else if (number !== undefined) {
      if (comma !== undefined && isListed(comma, text[index - 1] === "(" || text[to] === ")"))
        words.push(...listIn(whole, index));
      else {
        const { plain, other } = numberIn(number, comma);
        const factor = SCALES[scale?.toLowerCase() ?? ""];
        const value = part === undefined ? plain * (factor ?? 1) : plain / 100;
        const unsure = other === undefined || scale !== undefined ? {} : { other: `${other}${part?.trim() ?? ""}` };
        const signed = sign ?? (part === undefined ? undefined : "%");
        const more = {
          ...(signed === undefined ? {} : { sign: signed }),
          ...(factor === undefined ? {} : { scale: factor }),
        };
        words.push({ kind: "number", key: String(value), at: index, end: to, ...unsure, ...more });
      }
    } else if (date !== undefined) words.push({ kind: "date", key: date, at: index, end: to });
    else if (name !== undefined) words.push({ kind: "name", key: name.replaceAll('""', '"'), at: index, end: to });
    else if (symbol !== undefined) {
      if (symbol !== "_") words.push({ kind: "symbol", key: symbol, at: index, end: to });
    } else {
      const said = quoted ?? groups.text ?? "";
      words.push({ kind: "text", key: said.replaceAll("''", "'"), at: index, end: to });
    }
  }
  return words;
}

const APART = /[.\u00a0\u202f ]/g;

/** `18,30,65` and `(18,30)`: as many numbers as stand there; not where a zero among four or more begins one of them. */
function isListed(comma: string, isInside: boolean): boolean {
  const parts = comma.split(",");
  if (comma.search(APART) >= 0) return false;
  return isInside || (parts.length > 2 && (parts.length % 2 === 1 || !parts.some((each) => each.startsWith("0"))));
}

/** Each number of a list without spaces. */
function listIn(text: string, from: number): readonly Word[] {
  let start = from;
  return text.split(",").flatMap((each, place) => {
    const at = start;
    start += each.length + 1;
    const comma = { kind: "symbol", key: ",", at: at - 1, end: at } as const;
    const words = wordsOf(each).map((word) => ({ ...word, at: word.at + at, end: word.end + at }));
    return place === 0 ? words : [comma, ...words];
  });
}

function numberIn(number: string, comma: string | undefined): { readonly plain: number; readonly other?: string } {
  const signed = number.replace("−", "-");
  if (comma === undefined) {
    const plain = Number(signed.replaceAll(/[,'’\u00a0\u202f ]/g, ""));
    if (POINTED.test(number)) return { plain, other: number.replace(".", "") };
    return /^\d+,\d{3}$/.test(number) ? { plain, other: decimals(number.replace(",", ".")) } : { plain };
  }
  const parts = comma.split(",");
  const plain = Number(signed.replaceAll(APART, "").replace(",", "."));
  if (comma.search(APART) >= 0 || (parts.length === 2 && parts[0] === "0")) return { plain };
  return { plain, other: parts.length === 2 ? parts.join(" and ") : pairsIn(parts) };
}

/** A point that may set thousands apart. */
const POINTED = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** A number with decimals as no one takes it for thousands: 1.5, and 1.2340. */
export function decimals(text: string): string {
  const plain = String(Number(text));
  return POINTED.test(plain) ? `${plain}0` : plain;
}

/** `0,1,0,9`: 0.1 and 0.9. */
const pairsIn = (parts: readonly string[]): string =>
  parts.flatMap((each, at) => (at % 2 === 0 ? [`${each}.${parts[at + 1]}`] : [])).join(" and ");

/** Words and single numbers, of which `wordsOf` makes the same without its long pattern: what most values are. */
export const PLAIN =
  /^(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,15}(?= [A-Za-z]|$))(?: (?:[A-Z]?[a-z]+|[A-Z]+|\d{1,15}(?= [A-Za-z]|$)))*$/;

/** What a phrase is looked up by; null for one without words. */
export function keyOf(phrase: string): string | null {
  if (PLAIN.test(phrase))
    return phrase
      .split(" ")
      .map((each) => (/\d/.test(each) ? String(Number(each)) : stem(each)))
      .join(" ");
  const keys = wordsOf(phrase).flatMap(({ kind, key }) => (kind === "symbol" ? [] : [key]));
  return keys.length === 0 ? null : keys.join(" ");
}

/** Which letters a text has, as bits: of each that changes at most two differ. */
export function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

export function bitsIn(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
