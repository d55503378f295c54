import type { ReportedAnswer as Answer, ReportedCell } from "./answer.ts";
import { heatCellOf, wordsOf } from "./answer-forms.ts";
import { binText, columnText, isOrder, valueText } from "./answer-words.ts";

/** Whether a count among several may be noise alone [M417]. */
export function mayBeNone({ shows, cells, confidence }: Answer, { value, interval: [low, high] }: ReportedCell) {
  if (shows.value !== "rows" && shows.value !== "people") return false;
  const half = Math.max(high - value, value - low);
  return Math.abs(value) < (half + 1) * Math.max(2, 1 - Math.log(cells.length) / Math.log(1 - confidence));
}

/** The values of an answer by one column, each with its key, name and interval; null where it is by none, by several or in bins. */
export function placesOf(answer: Answer) {
  const [name, another] = answer.groupBy;
  const { shows, column, cells } = answer;
  const isBars = name === undefined && column !== null && shows.chart === "bars" && shows.bin === undefined;
  const by = isBars ? column : another === undefined ? name : undefined;
  if (by == null || isOrder(answer) || (!isBars && cells.some(({ bin }) => bin !== undefined))) return null;
  return {
    ...wordsOf(answer),
    by,
    placeLabel: columnText(answer, by),
    values: cells.map((cell) => ({
      ...heatCellOf(answer, cell),
      ...(cell.unreliable || mayBeNone(answer, cell) ? { isFaint: true } : {}),
      key: isBars ? (cell.bin?.value ?? cell.bin?.label) : cell.group[by],
      name: isBars ? binText(answer, cell) : valueText(answer, by, cell.group[by]),
    })),
  };
}
