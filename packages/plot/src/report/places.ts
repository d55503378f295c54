import type { ReportedAnswer as Answer } from "./answer.ts";
import { heatCellOf, wordsOf } from "./answer-forms.ts";
import { binText, columnText, isOrder, valueText } from "./answer-words.ts";

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
      key: isBars ? (cell.bin?.value ?? cell.bin?.label) : cell.group[by],
      name: isBars ? binText(answer, cell) : valueText(answer, by, cell.group[by]),
    })),
  };
}
