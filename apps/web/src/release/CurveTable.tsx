import { areYears, formatNumber, intervalText, measureText } from "@dosimeter/plot";
import { columnHeading, columnMeasure, columnText, type ReportedAnswer, valueText } from "@dosimeter/plot/report";
import { type Answer, quantileOfCdf } from "@dosimeter/query/answer";
import type { GroupKey } from "@dosimeter/query/plan";
import { DataTable } from "../parts/DataTable.tsx";

const shares = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/** Quantiles from a released curve, which are free. */
export function CurveTable({ answer: reported }: { answer: ReportedAnswer }) {
  const answer = reported as unknown as Answer;
  const { unit, calendar } = columnMeasure(reported);
  const measure = areYears(unit) ? { unit } : { calendar };
  const groups: readonly GroupKey[] = [
    ...new Map(answer.cells.map(({ group }) => [JSON.stringify(group), group])).values(),
  ];
  const rows = groups.flatMap((group) =>
    shares.map((share) => ({ group, share, ...quantileOfCdf(answer, share, group) })),
  );
  type Row = (typeof rows)[number];
  return (
    <DataTable
      caption="Quantiles of this curve, free of charge"
      rows={rows}
      keyOf={({ group, share }) => `${JSON.stringify(group)} ${share}`}
      columns={[
        ...answer.groupBy.map((name) => ({
          name: columnText(reported, name),
          cell: ({ group }: Row) => valueText(reported, name, group[name]),
        })),
        { name: "Share of rows", isHead: true, cell: ({ share }) => `${formatNumber(100 * share)} %` },
        {
          name: `${columnHeading(reported)}, at most`,
          isNumber: true,
          cell: ({ value, unreliable }) => (unreliable === true ? "–" : measureText(value, measure, 6)),
        },
        {
          name: `Between (${formatNumber(100 * answer.confidence)} %)`,
          isNumber: true,
          cell: ({ interval }) => intervalText(interval, measure),
        },
      ]}
    />
  );
}
