import { usefulFrom } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import { errorUnit } from "@dosimeter/query/answer";
import { errorText } from "@dosimeter/query/quote";
import { Slider } from "@mantine/core";
import { useState } from "react";
import type { Planner } from "../use-planner.ts";
import type { WorkRow } from "../workbench.ts";

const STEPS = 100;

/** What a row asks, and one slider between its price and its error. `left` is exact ε; null where the account does not count it. */
export function AskPrice({ row, planner, left }: { row: WorkRow; planner: Planner; left: string | null }) {
  const { draft, declaration } = planner.bench;
  const [fault, setFault] = useState<string>();
  const price = Number(row.rho ?? row.epsilon);
  const [first] = useState(price);
  const planned = draft.rows.find(({ id }) => id === row.id);
  const units = planned === undefined ? null : usefulFrom(planned, draft, declaration);
  const useful = units === null ? null : Number(units) / 1e12;
  if (row.quote === null) return null;
  const { label, sentence, accuracy } = row.quote;
  const error =
    accuracy.halfWidth === null ? "" : `± ${errorText(accuracy.halfWidth, errorUnit(row.settings, declaration))}`;
  const said = `${row.rho === null ? "ε" : "ρ"} ${formatNumber(price, 3)}`;
  const most = left !== null && row.rho === null ? Number(left) : 10 * first;
  const least = Math.min(useful ?? first, first, most) / 10;
  const priceAt = (position: number): number =>
    Math.min(most, Number((least * (most / least) ** (position / STEPS)).toPrecision(3)));
  const positionOf = (value: number): number =>
    Math.min(STEPS, Math.max(0, (STEPS * Math.log(value / least)) / Math.log(most / least)));
  return (
    <>
      <strong>{capital(label)}</strong>
      <p className="flush">
        <span className="big-number">{error}</span> for {said}
      </p>
      <Slider
        className="ask-slider"
        max={STEPS}
        value={Math.round(positionOf(price))}
        onChange={(position) => setFault(planner.actionsOf(row).setShare(String(priceAt(position))))}
        label={null}
        thumbLabel={`Price of ${label}`}
        thumbValueText={`${said}, ${error}`}
        marks={useful === null || useful > most ? [] : [{ value: positionOf(useful), label: "useful from" }]}
      />
      <p className="soft small flush">{sentence}</p>
      {fault === undefined ? null : <p className="fault">{fault}</p>}
    </>
  );
}
