import { usefulFrom } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import { errorUnit } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { errorText } from "@dosimeter/query/quote";
import { Slider } from "@mantine/core";
import { useMemo, useState } from "react";
import type { OwnedAnswer } from "../plan-bench.ts";
import type { Planner } from "../use-planner.ts";
import type { WorkRow } from "../workbench.ts";

const STEPS = 100;

/** What a row asks, and one slider between its price and its error. */
export function AskPrice({
  row,
  planner,
  declaration,
  left,
  owned,
}: {
  row: WorkRow;
  planner: Planner;
  declaration: Declaration;
  /** Exact ε; null where the account does not count it. */
  left: string | null;
  owned: OwnedAnswer | undefined;
}) {
  const { draft } = planner.bench;
  const [fault, setFault] = useState<string>();
  const price = Number(row.rho ?? row.epsilon);
  const [first] = useState(price);
  const planned = draft.rows.find(({ id }) => id === row.id);
  const useful = useMemo(() => {
    const units = planned === undefined ? null : usefulFrom(planned, draft, declaration);
    return units === null ? null : Number(units) / 1e12;
  }, [planned, draft, declaration]);
  if (row.quote === null) return null;
  const title = capital(row.quote.label);
  const error = row.quote.accuracy.halfWidth;
  const within = error === null ? "no error yet" : `± ${errorText(error, errorUnit(row.settings, declaration))}`;
  if (owned?.isUsed === true)
    return (
      <>
        <strong>{title}</strong>
        <p className="small flush">Answered before: {owned.error}, and free.</p>
      </>
    );
  const most = left !== null && row.rho === null ? Number(left) : 10 * first;
  const least = Math.min(useful ?? first, first, most) / 10;
  const priceAt = (position: number): number =>
    Math.min(most, Number((least * (most / least) ** (position / STEPS)).toPrecision(3)));
  const positionOf = (value: number): number =>
    Math.min(STEPS, Math.max(0, (STEPS * Math.log(value / least)) / Math.log(most / least)));
  const said = `${row.rho === null ? "ε" : "ρ"} ${formatNumber(price, 3)}`;
  return (
    <>
      <strong>{title}</strong>
      <p className="flush">
        <span className="big-number">{within}</span>{" "}
        <span className="soft small">
          in {formatNumber(100 * draft.confidence)} of 100 cases, for {said}
        </span>
      </p>
      {most > least ? (
        <Slider
          className="ask-slider"
          min={0}
          max={STEPS}
          step={1}
          value={Math.round(positionOf(price))}
          onChange={(position) => setFault(planner.actionsOf(row).setShare(String(priceAt(position))))}
          label={null}
          thumbLabel={`Price of ${row.quote.label}`}
          thumbProps={{ "aria-valuetext": `${said}, ${within}` }}
          marks={useful === null || useful > most ? [] : [{ value: positionOf(useful), label: "useful from" }]}
        />
      ) : null}
      {useful !== null && useful > most ? <p className="soft small">Useful only for more than is left.</p> : null}
      {fault === undefined ? null : <p className="fault">{fault}</p>}
    </>
  );
}
