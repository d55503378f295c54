/** The values of a column as people write them: `0=female; 1=male`, or one a line. */
export interface ListedValues {
  readonly values: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

const QUOTED = /"((?:[^"]|"")*)"/;
/** A value in double quotes is taken as it is; before "=" stands a value without quotes only where it is one word or a number. */
const ITEM = new RegExp(String.raw`^(?:${QUOTED.source}|(?<plain>[\p{L}\p{N}_.+-]+))\s*=\s*(?<label>.+)$`, "su");
const WHOLE = new RegExp(`^${QUOTED.source}$`, "s");

/** Values apart by line ends, or by `;` where all stand on one line. `<=50K` is a value and no label. */
export function parseValues(text: string): ListedValues {
  const values: string[] = [];
  const labels: Record<string, string> = Object.create(null);
  for (const part of partsOf(text)) {
    const item = ITEM.exec(part);
    const value = item?.[1]?.replaceAll('""', '"') ?? item?.groups?.plain ?? unquoted(part);
    values.push(value);
    if (item?.groups?.label !== undefined) labels[value] = item.groups.label.trim();
  }
  return { values, labels };
}

const unquoted = (part: string): string => WHOLE.exec(part)?.[1]?.replaceAll('""', '"') ?? part;

function partsOf(text: string): readonly string[] {
  const isLines = /[\r\n]/.test(text.trim());
  const pattern = isLines ? /[^\r\n]+/g : /(?:"(?:[^"]|"")*"|[^;])+/g;
  return [...text.matchAll(pattern)].map(([part]) => part.trim()).filter((part) => part !== "");
}

/** The text that `parseValues` reads back as these. */
export function valuesText({ values, labels }: ListedValues): string {
  return values
    .map((value) => {
      const isPlain = !/[;"\r\n]|^\s|\s$/.test(value) && !ITEM.test(value);
      const label = Object.hasOwn(labels, value) ? labels[value] : undefined;
      const isWord = /^[\p{L}\p{N}_.+-]+$/u.test(value);
      const shown = isPlain && (label === undefined || isWord) ? value : `"${value.replaceAll('"', '""')}"`;
      return label === undefined ? shown : `${shown}=${label}`;
    })
    .join("; ");
}
