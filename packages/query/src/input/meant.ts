const NUMBER = String.raw`[-+−]?\d+`;
const RANGE = new RegExp(String.raw`^(${NUMBER})\s*(?:-|–|—|\.\.\.?|…|to)\s*(${NUMBER})$`);
const PLAIN = new RegExp(String.raw`^${NUMBER}(?:\.\d+)?$`);
const QUOTED = /^(?:'.*'|".*"|‘.*’|“.*”|`.*`)$/su;

/** The whole numbers that a text such as `1-16` stands for; null for any other text. */
export function numbersIn(text: string): { readonly from: number; readonly to: number } | null {
  const ends = RANGE.exec(text)?.slice(1) ?? [];
  const [from = Number.NaN, to = Number.NaN] = ends.map((end) => Number(end.replace("−", "-")));
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to ? { from, to } : null;
}

/** A text between quotes of one kind; null where there are none around it. */
export const withinQuotes = (text: string): string | null =>
  text.length > 1 && QUOTED.test(text) ? text.slice(1, -1) : null;

/** What someone who wrote a value among these meant, where that is no value; null where it is one. */
export function unmeantAmong(all: readonly string[]): (value: string) => "range" | "quotes" | "list" | null {
  // One range among numbers is numbers; several may be bands of age, which are values.
  const ranges = all.filter((text) => numbersIn(text) !== null);
  const areNumbers = ranges.length === 1 && all.every((text) => text === ranges[0] || PLAIN.test(text));
  return (value) => {
    if (areNumbers && value === ranges[0]) return "range";
    if (withinQuotes(value) !== null) return "quotes";
    return all.length === 1 && /[;\r\n]/.test(value) ? "list" : null;
  };
}
