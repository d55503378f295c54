import type { ColumnDraft } from "./draft.ts";

type Spelling = readonly [all: RegExp, pattern: string, granularity?: string];

/** How files write what the type of a column does not read as it is; the first that fits all values. */
const numbers: readonly Spelling[] = [
  [/^[-+−]?\d{1,3}(?:\.\d{3})*(?:,\d+)?$/, "1.234,5"],
  [/^[-+−]?\d{1,3}(?:,\d{3})*(?:\.\d+)?$/, "1,234.5"],
  [/^[-+−]?\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})*(?:,\d+)?$/, "1 234,5"],
  [/^[-+−]?\d{1,3}(?:['’]\d{3})*(?:\.\d+)?$/, "1'234.5"],
  [/^[-+−]?\d+(?:,\d+)?$/, "1234,5"],
  [/^[-+−]?\d+(?:\.\d+)? ?%$/, "1234.5 %"],
  [/^[-+−]?\d+(?:,\d+)? ?%$/, "1234,5 %"],
];
const dates: readonly Spelling[] = [
  [/^\d{1,2}\.\d{1,2}\.\d{4}$/, "D.M.YYYY"],
  [/^\d{4}\/\d{1,2}\/\d{1,2}$/, "YYYY/M/D"],
  [/^\d{8}$/, "YYYYMMDD"],
  [/^\d{1,2} \p{L}{3,12}\.? \d{4}$/u, "D MMM YYYY"],
  [/^\d{1,2}\. \p{L}{3,12}\.? \d{4}$/u, "D. MMM YYYY"],
  [/^\d{1,2}-\p{L}{3,12}-\d{4}$/u, "D-MMM-YYYY"],
  [/^\p{L}{3,12}\.? \d{1,2}, \d{4}$/u, "MMM D, YYYY"],
  [/^\d{4}Q[1-4]$/i, "YYYYQ", "quarter"],
  [/^\d{4}-Q[1-4]$/i, "YYYY-Q", "quarter"],
  [/^\d{4}-W\d{2}$/i, "YYYY-WW", "week"],
  [/^\d{4}-\d{2}$/, "YYYY-MM", "month"],
];
const booleans: readonly Spelling[] = [
  "oui/non",
  "ja/nein",
  "ja/nee",
  "sí/no",
  "si/no",
  "sim/não",
  "vrai/faux",
  "wahr/falsch",
].map((pattern) => [new RegExp(`^(?:${pattern.replace("/", "|")})$`, "iu"), pattern]);
const byType: Readonly<Partial<Record<ColumnDraft["type"], readonly Spelling[]>>> = {
  ...{ integer: numbers, number: numbers, decimal: numbers, date: dates, boolean: booleans },
};

/** Where all values of a column may be read in two ways, both are offered: `1.234,5` and `1234,5` for 1,234. */
export function spellingsOf(values: readonly string[], type: ColumnDraft["type"]): readonly Partial<ColumnDraft>[] {
  const fits = (byType[type] ?? []).filter(
    ([all]) => values.length > 0 && values.every((value) => all.test(value.trim())),
  );
  return [...fits.slice(0, 2), ...slashed(values, type)].map(([, pattern, granularity]) => ({
    pattern,
    ...(granularity === undefined ? {} : { granularity }),
  }));
}

/** Day or month first, unless one of them is more than 12. */
function slashed(values: readonly string[], type: ColumnDraft["type"]): readonly Spelling[] {
  const parts = values.map((value) => /^(\d{1,2})\/(\d{1,2})\/\d{4}$/.exec(value.trim()));
  if (type !== "date" || parts.length === 0 || parts.includes(null)) return [];
  const mayBeMonth = (at: number): boolean => parts.every((part) => Number(part?.[at]) <= 12);
  return [
    ...(mayBeMonth(2) ? [[/x/, "D/M/YYYY"] as const] : []),
    ...(mayBeMonth(1) ? [[/x/, "M/D/YYYY"] as const] : []),
  ];
}
