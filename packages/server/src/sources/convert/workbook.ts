import { choiceOf } from "@dosimeter/core/internal";
import { type Shown, shownBy } from "./excel-dates.ts";
import { type Attributes, type Parts, WORKBOOK } from "./package-parts.ts";
import { unread } from "./unread.ts";

/** What the cells of one sheet refer to. */
export interface Workbook {
  /** The part that holds the sheet. */
  readonly part: string;
  readonly sheet: string;
  /** The names of all sheets that hold cells, in their order. */
  readonly sheets: readonly string[];
  readonly dates: 1900 | 1904;
  /** Whether its writer asks that its formulas be computed when it is opened: the stored values are none. */
  readonly isToCompute: boolean;
  readonly texts: readonly string[];
  /** How a cell of each style is shown. */
  readonly styles: readonly Shown[];
}

/** Reads what is needed of one sheet: the named one, or the first that is not hidden. */
export async function readWorkbook(parts: Parts, wanted: string | undefined): Promise<Workbook> {
  const root = [...(await parts.relations("")).values()].find(({ type }) => type === "officeDocument");
  if (root === undefined || !root.target.endsWith(".xml")) throw unread(WORKBOOK);
  const relations = await parts.relations(root.target);
  const sheets: { readonly name: string; readonly part: string; readonly isHidden: boolean }[] = [];
  let dates: 1900 | 1904 = 1900;
  let isToCompute = false;
  await parts.read(root.target, {
    open(tag, attributes) {
      if (tag === "workbookPr") dates = isOn(attributes.date1904) ? 1904 : 1900;
      if (tag === "calcPr") isToCompute = isOn(attributes.fullCalcOnLoad);
      if (tag !== "sheet") return;
      const id = Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";
      const relation = relations.get(id);
      if (relation?.type !== "worksheet") return;
      const isHidden = (attributes.state ?? "visible") !== "visible";
      sheets.push({ name: attributes.name ?? "", part: relation.target, isHidden });
    },
  });
  const chosen = chosenSheet(sheets, wanted);
  const partOf = (kind: string) => [...relations.values()].find(({ type }) => type === kind)?.target;
  return {
    part: chosen.part,
    sheet: chosen.name,
    sheets: sheets.map(({ name }) => name),
    dates,
    isToCompute,
    texts: await sharedTexts(parts, partOf("sharedStrings")),
    styles: await stylesOf(parts, partOf("styles")),
  };
}

const isOn = (attribute: string | undefined): boolean => /^(?:1|true|on)$/.test(attribute ?? "");

/** The named one, or the first that is not hidden. Names of sheets that differ only in case are the same. */
export function chosenSheet<Sheet extends { readonly name: string; readonly isHidden: boolean }>(
  sheets: readonly Sheet[],
  wanted: string | undefined,
): Sheet {
  const found = sheets.find(({ name, isHidden }) =>
    wanted === undefined ? !isHidden : name.toLowerCase() === wanted.toLowerCase(),
  );
  if (found !== undefined) return found;
  const names = sheets.map(({ name }) => name);
  const known = names.length === 0 ? "" : `: ${choiceOf(wanted, names)}`;
  throw unread(`a workbook with the sheet that is asked for${known}`, wanted);
}

/** The text of `t` elements, without readings in another script. */
export function textReader() {
  let text = "";
  let isText = false;
  let isReading = false;
  return {
    open(tag: string): void {
      if (tag === "si" || tag === "is") text = "";
      if (tag === "rPh") isReading = true;
      isText = tag === "t" && !isReading;
    },
    text(part: string): void {
      if (isText) text += part;
    },
    close(tag: string): void {
      if (tag === "t") isText = false;
      if (tag === "rPh") isReading = false;
    },
    taken: () => unescaped(text),
  };
}

/** Letters that XML cannot hold are written `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

async function sharedTexts(parts: Parts, part: string | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  if (part === undefined) return texts;
  const one = textReader();
  await parts.read(part, {
    ...one,
    close(tag) {
      one.close(tag);
      if (tag === "si") texts.push(one.taken());
    },
  });
  return texts;
}

async function stylesOf(parts: Parts, part: string | undefined): Promise<readonly Shown[]> {
  const codes = new Map<number, string>();
  const styles: Shown[] = [];
  if (part === undefined) return styles;
  let isCell = false;
  await parts.read(part, {
    open(tag: string, { numFmtId = "0", formatCode = "" }: Attributes) {
      if (tag === "numFmt") codes.set(Number(numFmtId), formatCode);
      if (tag === "cellXfs") isCell = true;
      if (tag === "xf" && isCell) styles.push(shownBy(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(tag) {
      if (tag === "cellXfs") isCell = false;
    },
  });
  return styles;
}
