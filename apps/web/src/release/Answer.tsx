import type { Release } from "@dosimeter/client";
import { cellText, formatNumber, intervalText, measureText, type Cell as PlotCell, type Table } from "@dosimeter/plot";
import {
  type ReportedAnswer as Answer,
  agreedTable,
  agreedWords,
  answerChart,
  answerSentence,
  answerTable,
  captionOf,
  cellValueIn,
  comparisonSentences,
  isSortable,
  measureOf,
  type RowOrder,
  subtitleOf,
  tablesIn,
  titleOf,
} from "@dosimeter/plot/report";
import type { ReleasedTable } from "@dosimeter/query/statistics";
import { IconArrowsSort } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { lazy } from "../api/part.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { IntervalDot } from "../parts/IntervalDot.tsx";
import { Loading } from "../parts/Pending.tsx";
import { CostLine } from "./CostLine.tsx";
import { CurveTable } from "./CurveTable.tsx";

const MapTool = lazy(async () => ({ default: (await import("./map/MapTool.tsx")).MapTool }));
const SyntheticTable = lazy(async () => ({ default: (await import("./SyntheticTable.tsx")).SyntheticTable }));

type ReleasedNumber = NonNullable<Release["numbers"]>[number];

/** One answer: a number with its dot, a chart that swaps with its table, or a table; below, its cost and what to know about it. */
export function AnswerPart({ answer, number }: { answer: Answer; number: ReleasedNumber | undefined }) {
  const [order, setOrder] = useState<RowOrder>("value");
  const [map, setMap] = useState<ReturnType<typeof answerChart>>(null);
  const chart = answerChart(answer, { order });
  if (answer.table !== undefined)
    return (
      <section className="answer" aria-label={titleOf(answer)}>
        <Suspense fallback={<Loading lines={20} />}>
          <SyntheticTable answer={answer} table={answer.table as ReleasedTable} />
        </Suspense>
      </section>
    );
  const tables = tablesIn(answer);
  if (tables.length > 1)
    return (
      <section className="answer" aria-label={titleOf(answer)}>
        <h2>{titleOf(answer)}</h2>
        {tables.map((table, at) => (
          <OneTable key={table.label} table={table} isFirst={at < FIRST_TABLES} />
        ))}
        <CostLine answer={answer} />
      </section>
    );
  const isAlone = answer.cells.length === 1 && answer.groupBy.length === 0;
  return (
    <section className="answer" aria-label={titleOf(answer)}>
      {chart !== null ? (
        <Figure
          level={2}
          chart={map ?? chart}
          caption={captionOf(answer)}
          tools={
            <>
              {isOfRegions(answer) ? (
                <Suspense>
                  <MapTool answer={answer} isOn={map !== null} onMap={(draw) => setMap(() => draw)} />
                </Suspense>
              ) : null}
              {isSortable(answer) && map === null ? (
                <button
                  type="button"
                  className="tool"
                  aria-pressed={order === "declared"}
                  onClick={() => setOrder(order === "value" ? "declared" : "value")}
                >
                  <IconArrowsSort size={16} aria-hidden /> As declared
                </button>
              ) : null}
            </>
          }
        />
      ) : (
        <>
          <h2>{titleOf(answer)}</h2>
          <p className="soft small">{subtitleOf(answer)}</p>
          {isAlone ? (
            <OneNumber answer={answer} number={number} />
          ) : (
            <Cells answer={answer} table={answerTable(answer)} />
          )}
        </>
      )}
      {map === null ? null : <Cells answer={answer} table={answerTable(answer)} />}
      <Compared answer={answer} />
      {answer.simultaneous === undefined ? null : <CurveTable answer={answer} />}
      <CostLine answer={answer} />
    </section>
  );
}

/** Whether the answer may be by places of a map; which ones, the tool finds out. */
const isOfRegions = (answer: Answer): boolean => /state|countr|nation/i.test(titleOf(answer));

/** How many tables of a set are open at first. */
const FIRST_TABLES = 4;

function OneTable({ table, isFirst }: { table: Answer; isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const chart = answerChart(table);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{titleOf(table)}</summary>
      {!isOpen ? null : chart === null ? (
        <OneNumber answer={table} number={undefined} />
      ) : (
        <Figure level={3} chart={chart} caption={captionOf(table)} />
      )}
      {isOpen ? <Compared answer={table} /> : null}
    </details>
  );
}

/** The other values of an answer, behind a line that says what they are: an answer shows one interval. */
function Compared({ answer }: { answer: Answer }) {
  const [isOpen, setOpen] = useState(false);
  const agreed = agreedTable(answer);
  const sentences = comparisonSentences(answer);
  if (agreed === null && sentences.length === 0) return null;
  return (
    <details className="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {agreed === null
          ? "The fresh draw alone"
          : agreedWords(answer, "The same, made to agree with the other answers of this release")}
      </summary>
      {isOpen ? (
        <>
          <p>
            {agreed === null ? AVERAGED : answer.statistic === "tables" ? WHOLE : AGREED} Decide which of the two you
            will quote before you look: the better of two intervals holds less often than it says.
          </p>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {agreed === null || sentences.length > 0 ? null : <Cells answer={answer} table={agreed} />}
        </>
      ) : null}
    </details>
  );
}

const AVERAGED = "Above is the average of the fresh draw and the earlier answer that it tops up.";
const WHOLE =
  "Above is the answer as it was drawn, right on average. Here, at no cost, are whole numbers that add up; small ones are too large on average. The interval holds for either.";
const AGREED =
  "Above is the answer as it was drawn. Here, at no cost, totals match their parts and means match their sums.";

function OneNumber({ answer, number }: { answer: Answer; number: ReleasedNumber | undefined }) {
  const [only] = answer.cells;
  if (only === undefined) return null;
  return (
    <>
      <p className="answer-number">
        <span className="big-number whole" title={measureText(only.value, measureOf(answer), 15)}>
          {only.unreliable ? "–" : cellValueIn(answer, only)}
        </span>{" "}
        {only.rank !== undefined ? null : (
          <span className="interval whole">{intervalText(only.interval, measureOf(answer))}</span>
        )}
      </p>
      {number === undefined ? null : <IntervalDot of={number} ends />}
      <p>{answerSentence(answer, only)}</p>
      {only.rows === undefined ? null : (
        <p className="small soft">
          Row count (included): about {whole(Math.round(only.rows.value))} ({whole(Math.floor(only.rows.interval[0]))}{" "}
          to {whole(Math.ceil(only.rows.interval[1]))}).
        </p>
      )}
    </>
  );
}

const whole = (value: number): string => formatNumber(value, 15);

function Cells({ answer, table: { columns, rows } }: { answer: Answer; table: Table }) {
  if (answer.cells.length === 0)
    return <p>No value was shared by enough {answer.words?.noun.many ?? "people"} to be published.</p>;
  return (
    <DataTable
      caption={`${titleOf(answer)}: every answer`}
      isCaptionHidden
      rows={rows}
      keyOf={(_, index) => String(index)}
      columns={columns.map((column, index) => ({
        name: column.name,
        isNumber: column.align === "right",
        isHead: index === 0,
        cell: (row: readonly PlotCell[]) => {
          const cell = row[index];
          if (typeof cell === "number") return cellText(cell, column);
          // A date is not broken at its hyphens.
          return typeof cell === "string" && /^\d{4}-/.test(cell) ? <span className="whole">{cell}</span> : cell;
        },
      }))}
    />
  );
}
