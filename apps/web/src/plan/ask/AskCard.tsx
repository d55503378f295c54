import type { Account, Dataset } from "@dosimeter/client";
import { headroomOf, type Practice, peopleOf } from "@dosimeter/planner";
import { answerChart, capital, type ReportedAnswer } from "@dosimeter/plot/report";
import { answerCalendar, answerRange, answersToShow, answerUnit, planTable, planWords } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMe } from "../../api/session.ts";
import { Amount } from "../../parts/Amount.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { IntervalDot } from "../../parts/IntervalDot.tsx";
import { Alerts } from "../Alerts.tsx";
import { openReview, reviewedPrices } from "../open-review.ts";
import { usePlanner } from "../use-planner.ts";
import { usePractised } from "../use-practised.ts";
import { useQuoted } from "../use-quoted.ts";
import { useReview } from "../use-review.tsx";
import { faultOf, type WorkRow, withAsked } from "../workbench.ts";
import type { Question } from "./AskField.tsx";
import { AskPrice } from "./AskPrice.tsx";
import "../plan.css";

/** The pause in typing after which another question has its card. */
const REST_MS = 400;

interface Asking {
  readonly dataset: Dataset;
  readonly account: Account;
  readonly declaration: Declaration;
  /** The rows whose review opens as soon as it can. */
  readonly wanted: string | null;
  readonly onWanted: (rows: string | null) => void;
  readonly onReleased: () => void;
}

/** The card of the last whole question: while another one is typed it stays, and cannot be used. */
export function AskPreview({ whole, ...asking }: Asking & { readonly whole: Question | null }) {
  const now = whole === null ? null : JSON.stringify(whole.rows);
  const [rested] = useDebouncedValue(now, REST_MS);
  const [last, setLast] = useState(now);
  const next = now !== null && (rested === now || asking.wanted === now) ? now : last;
  if (next !== last) setLast(next);
  return next === null ? null : (
    <div className="ask-below" inert={next !== now}>
      <AskCard key={`${asking.dataset.id} ${next}`} rows={next} text={whole?.text ?? ""} {...asking} />
    </div>
  );
}

/** A question with what its answers could look like, on made-up rows with the errors that they would have; its price, and its review. */
function AskCard({
  dataset,
  account,
  declaration,
  rows: asked,
  text,
  wanted,
  onWanted,
  onReleased,
}: Asking & { readonly rows: string; readonly text: string }) {
  const refused = useRef<string>(undefined);
  const person = useMe().data?.person.id ?? "";
  const of = `ask ${dataset.id} ${asked}`;
  const planner = usePlanner(declaration, {
    headroom: headroomOf(dataset, account, { hasBlocks: declaration.blocks !== undefined }),
    begin: (empty) => {
      try {
        return withAsked(empty, JSON.parse(asked) as Question["rows"], reviewedPrices(openReview(person, of)));
      } catch (error) {
        refused.current = faultOf(error, declaration.unitNoun).message;
        return empty;
      }
    },
  });
  const { bench, rows } = planner;
  const quoted = useQuoted(planner, { dataset, account, declaration, fresh: [] });
  const isRefused = rows.length === 0 || rows.some(({ quote }) => quote === null);
  const { ready, left, blocked, dialog, open } = useReview({
    ...{ of, planner, quoted, account, declaration, isRefused },
    onReleased: () => {
      onReleased();
      onWanted(null);
    },
    onClose: () => onWanted(null),
  });
  const mayAsk = open !== undefined;
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (wanted !== asked) return;
    if (mayAsk) latest.current?.();
    else if (!quoted.isFetching) onWanted(null);
  }, [wanted, asked, mayAsk, quoted.isFetching, onWanted]);
  const faults = [refused.current, ...rows.map(({ fault }) => fault?.message)].filter((each) => each !== undefined);
  return (
    <section className="card ask-card" aria-label="What the answer could look like">
      {faults.map((each) => (
        <p key={each} className="fault" role="alert">
          {each}
        </p>
      ))}
      <Alerts account={account} quoted={quoted} planner={planner} />
      {quoted.plan === null ? null : (
        <Previews
          plan={quoted.plan as Plan}
          rows={ready}
          declaration={declaration}
          people={peopleOf(bench.draft, declaration)}
        >
          {(row) => {
            const owned = quoted.ownedOf(row.id);
            return owned?.isUsed === true ? (
              <>
                <strong>{capital(row.quote?.label ?? "")}</strong>
                <p className="flush">Answered before: {owned.error}, and free.</p>
              </>
            ) : (
              <AskPrice row={row} planner={planner} left={left} />
            );
          }}
        </Previews>
      )}
      <div className="ask-cost">
        {ready.length === 0 ? null : (
          <span>
            <Amount unit="ε" of={quoted.charged} /> · {shareText(quoted.charged, left)}
          </span>
        )}
        {blocked === null || faults.length > 0 ? null : <span className="soft">{blocked}</span>}
        <Link
          className="tool"
          to="/datasets/$dataset/plan"
          params={{ dataset: dataset.id }}
          search={{ account: account.id, ask: text }}
          state={{ prices: rows.map(({ rho, epsilon }) => rho ?? epsilon) }}
        >
          Open as a plan
        </Link>
        <Button disabled={!mayAsk} onClick={() => onWanted(asked)}>
          Review and release
        </Button>
      </div>
      {dialog}
    </section>
  );
}

/** A cost as the part of what is left that it is at most: 1/8 where it is between an eighth and a ninth. */
function shareText(cost: string, left: string | null): string {
  const part = left === null ? Number.NaN : Number(cost) / Number(left);
  if (!(part > 0)) return part === 0 ? "nothing is paid" : "of this account";
  if (part > 1) return "more than you have";
  if (part > 0.9) return "all of what you have";
  return part > 0.5 ? `${Math.ceil(10 * part)}/10 of what you have` : `1/${Math.floor(1 / part)} of what you have`;
}

/** Each row with its picture from one run on made-up rows. */
function Previews({
  plan,
  rows,
  declaration,
  people,
  children,
}: {
  plan: Plan;
  rows: readonly WorkRow[];
  declaration: Declaration;
  people: number | null;
  children: (row: WorkRow) => ReactNode;
}) {
  const { data } = usePractised({ plan, declaration, people, runs: 1, seed: 1 });
  const table = planTable(plan, declaration);
  const answers = answersToShow({ answers: data?.answers ?? [], words: planWords(plan, table) }) ?? [];
  return rows.map((row) => {
    const answer = answers.find(({ id }) => id === row.id);
    return (
      <div key={row.id} className="ask-row">
        <div className="synthetic ask-picture" data-mark="MADE UP">
          {answer === undefined || data === undefined ? null : (
            <Picture
              answer={asQuoted(answer, row, data)}
              request={plan.statistics.find(({ id }) => id === row.id)}
              table={table}
            />
          )}
        </div>
        <div>{children(row)}</div>
      </div>
    );
  });
}

/** Intervals as wide as the quote says: there may be more rows than are made up. */
function asQuoted<A extends ReportedAnswer>(answer: A, { quote }: WorkRow, { statistics }: Practice): A {
  const stated = statistics.find(({ id }) => id === answer.id)?.stated;
  const error = quote?.accuracy.halfWidth;
  if (stated == null || error == null || !(stated > 0) || error === stated) return answer;
  const cells = answer.cells.map((cell) => {
    const [from, to] = cell.interval.map((end) => cell.value + ((end - cell.value) * error) / stated);
    return { ...cell, interval: [from ?? cell.value, to ?? cell.value] as const };
  });
  return { ...answer, cells };
}

function Picture({
  answer,
  request,
  table,
}: {
  answer: ReportedAnswer;
  request: Plan["statistics"][number] | undefined;
  table: Declaration;
}) {
  const chart = answerChart(answer);
  const [cell] = answer.cells;
  if (chart !== null) return <Figure isBare chart={chart} />;
  if (answer.cells.length !== 1 || cell === undefined || request === undefined)
    return <p className="soft small">{answer.cells.length} answers: too many to draw here.</p>;
  const { value, interval } = cell;
  return (
    <IntervalDot
      ends
      of={{
        ...{ row: answer.id, label: answer.label, value, confidence: answer.confidence },
        interval: cell.rank === undefined ? [...interval] : null,
        range: answerRange(request, table) as [number, number] | null,
        unit: answerUnit(request, table),
        calendar: answerCalendar(request, table),
      }}
    />
  );
}
