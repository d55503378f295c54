import { numbersIn, unmeantAmong, withinQuotes } from "../input/meant.ts";

/** The values of a column as people write them: `0=female; 1=male`, or one a line. */
export interface ListedValues {
  readonly values: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** The same as they were read, and what was read otherwise than it stands there. */
export interface ReadValues extends ListedValues {
  /** Values that look like something else, and were meant as they are: they stood in double quotes. */
  readonly asTheyAre: readonly string[];
  /** `1-16`, which was read as sixteen values. */
  readonly ranges: readonly string[];
  /** `'m'`, which was read without its quotes. */
  readonly bared: readonly string[];
}

/** More numbers are not written out. */
const MAX_RANGE = 65_536;

const QUOTED = /"((?:[^"]|"")*)"/;
/** A value in double quotes is taken as it is; before "=" stands a value without quotes only where it is one word or a number. */
const ITEM = new RegExp(
  String.raw`^(?:${QUOTED.source}|(?<plain>'[^']*'|[\p{L}\p{N}_.+-]+))\s*=\s*(?<label>.+)$`,
  "su",
);
const WHOLE = new RegExp(`^${QUOTED.source}$`, "s");

/**
 * Values apart by line ends, or by `;` where all stand on one line. `<=50K` is a value and no label; `1-16` alone or among numbers is
 * every whole number of it; single quotes around a value are left out.
 */
export function parseValues(text: string): ReadValues {
  const parts = partsOf(text).map((part) => {
    const item = ITEM.exec(part);
    const inQuotes = item?.[1] ?? WHOLE.exec(part)?.[1];
    const plain = item?.groups?.plain ?? part;
    return {
      value: inQuotes?.replaceAll('""', '"') ?? plain,
      isQuoted: inQuotes !== undefined,
      label: item?.groups?.label,
    };
  });
  const unmeant = unmeantAmong(parts.map(({ value }) => value));
  const values: string[] = [];
  const labels: Record<string, string> = Object.create(null);
  const [asTheyAre, ranges, bared]: [string[], string[], string[]] = [[], [], []];
  for (const { value, isQuoted, label } of parts) {
    const meant = label === undefined ? unmeant(value) : null;
    const range = meant === "range" && !isQuoted ? numbersIn(value) : null;
    const bare = isQuoted ? null : withinQuotes(value);
    if (range !== null && range.to - range.from < MAX_RANGE) {
      ranges.push(value);
      for (let number = range.from; number <= range.to; number++) values.push(String(number));
      continue;
    }
    if (isQuoted && meant !== null) asTheyAre.push(value);
    if (bare !== null) bared.push(value);
    values.push(bare ?? value);
    if (label !== undefined) labels[bare ?? value] = label.trim();
  }
  return { values, labels, asTheyAre, ranges, bared };
}
function partsOf(text: string): readonly string[] {
  const isLines = /[\r\n]/.test(text.trim());
  const pattern = isLines ? /[^\r\n]+/g : /(?:"(?:[^"]|"")*"|[^;])+/g;
  return [...text.matchAll(pattern)].map(([part]) => part.trim()).filter((part) => part !== "");
}

/** The text that `parseValues` reads back as these. */
export function valuesText({ values, labels }: ListedValues): string {
  const unmeant = unmeantAmong(values);
  return values
    .map((value) => {
      const isPlain = !/[;"\r\n]|^\s|\s$/.test(value) && !ITEM.test(value) && unmeant(value) === null;
      const label = Object.hasOwn(labels, value) ? labels[value] : undefined;
      const isWord = /^[\p{L}\p{N}_.+-]+$/u.test(value);
      const shown = isPlain && (label === undefined || isWord) ? value : `"${value.replaceAll('"', '""')}"`;
      return label === undefined ? shown : `${shown}=${label}`;
    })
    .join("; ");
}
