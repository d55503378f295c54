import { invalid } from "@dosimeter/core";
import type { GroupKey } from "../plan/bounded.ts";
import { type CurveQuantile, shareOf } from "../statistics/curve/cdf.ts";
import type { Answer } from "./answer.ts";

/** The quantile of one group of a released `cdf`. `share` from 0 to 1; INVALID_PARAMETER for other answers and groups. */
export function quantileOfCdf(answer: Answer, share: number, group: GroupKey = {}): CurveQuantile {
  if (answer.statistic !== "cdf" || !isCurve(answer)) return invalid("answer", answer.statistic, "an answer of cdf");
  if (!(share >= 0 && share <= 1)) return invalid("share", share, "from 0 to 1");
  const cells = answer.cells.filter((cell) => answer.groupBy.every((name) => cell.group[name] === group[name]));
  if (cells.length === 0) return invalid("group", group, "a group of the answer");
  const steps = cells.map(({ bin, value }) =>
    bin !== undefined && "lower" in bin ? { start: bin.lower, end: bin.upper, value } : { start: 0, end: 0, value },
  );
  const isMarked = cells.some(({ unreliable }) => unreliable === true);
  return shareOf({ steps, off: answer.simultaneous ?? 0, isMarked }, share);
}

/** Answers may come from a file. */
const isCurve = ({ simultaneous, cells, groupBy }: Answer): boolean =>
  typeof simultaneous === "number" &&
  Array.isArray(groupBy) &&
  Array.isArray(cells) &&
  cells.every(
    (cell) => typeof cell?.value === "number" && typeof cell.group === "object" && typeof cell.bin?.label === "string",
  );
