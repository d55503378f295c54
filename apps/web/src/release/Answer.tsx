import type { Release } from "@dosimeter/client";
import { formatNumber, intervalText, measureText, type Cell as PlotCell } from "@dosimeter/plot";
import {
  type ReportedAnswer as Answer,
  answerChart,
  answerSentence,
  answerTable,
  capital,
  captionOf,
  cellValueIn,
  columnMeasure,
  comparisonSentences,
  measureOf,
  titleOf,
} from "@dosimeter/plot/report";
import type { Answer as QueryAnswer, ReleasedTable } from "@dosimeter/query";
import { lazy, Suspense } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { IntervalDot } from "../parts/IntervalDot.tsx";
import { Loading } from "../parts/Pending.tsx";
import { CostLine } from "./CostLine.tsx";
import { CurveTable } from "./CurveTable.tsx";

const SyntheticTable = lazy(async () => ({ default: (await import("./SyntheticTable.tsx")).SyntheticTable }));

type ReleasedNumber = NonNullable<Release["numbers"]>[number];

/** The most cells in a table below their chart. */
const MAX_LISTED = 12;

/** One answer: a number with its dot, a chart that swaps with its table, or a table; below, its cost and what to know about it. */
export function AnswerPart({ answer, number }: { answer: Answer; number: ReleasedNumber | undefined }) {
  const chart = answerChart(answer);
  if (answer.table !== undefined)
    return (
      <section className="answer" aria-label={capital(answer.label)}>
        <Suspense fallback={<Loading lines={20} />}>
          <SyntheticTable answer={answer} table={answer.table as ReleasedTable} />
        </Suspense>
      </section>
    );
  // A chart and its table show what was drawn.
  const isAgreed = answer.cells.some(({ consistent }) => consistent !== undefined);
  const isAlone = answer.cells.length === 1 && answer.groupBy.length === 0;
  return (
    <section className="answer" aria-label={capital(answer.label)}>
      {chart !== null ? (
        <>
          <Figure level={2} chart={chart} caption={captionOf(answer)} />
          {isAgreed && answer.cells.length <= MAX_LISTED ? <Cells answer={answer} /> : null}
        </>
      ) : (
        <>
          <h2>{titleOf(answer)}</h2>
          {isAlone ? <OneNumber answer={answer} number={number} /> : <Cells answer={answer} />}
        </>
      )}
      {isAlone ? (
        <Compared answer={answer} />
      ) : (
        comparisonSentences(answer).map((sentence) => <p key={sentence}>{sentence}</p>)
      )}
      {answer.simultaneous === undefined ? null : (
        <CurveTable answer={answer as unknown as QueryAnswer} measure={columnMeasure(answer)} />
      )}
      <CostLine answer={answer} />
    </section>
  );
}

/** The other numbers of an answer, behind their explanation: one number leads. */
function Compared({ answer }: { answer: Answer }) {
  const sentences = comparisonSentences(answer);
  if (sentences.length === 0) return null;
  return (
    <details className="small">
      <summary>The same answer next to others</summary>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </details>
  );
}

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
          It came with a number of rows for free: about {whole(Math.round(only.rows.value))} (
          {whole(Math.floor(only.rows.interval[0]))} to {whole(Math.ceil(only.rows.interval[1]))}).
        </p>
      )}
    </>
  );
}

const whole = (value: number): string => formatNumber(value, 15);

function Cells({ answer }: { answer: Answer }) {
  const { columns, rows } = answerTable(answer);
  if (answer.cells.length === 0)
    return <p>No value was shared by enough {answer.words?.noun.many ?? "people"} to be published.</p>;
  return (
    <DataTable
      caption={`${capital(answer.label)}: every answer`}
      isCaptionHidden
      rows={rows}
      keyOf={(_, index) => String(index)}
      columns={columns.map((column, index) => ({
        name: column.name,
        isNumber: column.align === "right",
        isHead: index === 0,
        cell: (row: readonly PlotCell[]) => {
          const cell = row[index];
          if (typeof cell === "number") return formatNumber(cell, 6);
          // A date is not broken at its hyphens.
          return typeof cell === "string" && /^\d{4}-/.test(cell) ? <span className="whole">{cell}</span> : cell;
        },
      }))}
    />
  );
}
