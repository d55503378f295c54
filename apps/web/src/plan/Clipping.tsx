import { errorText, normalCdf } from "@dosimeter/core/internal";
import { clippingCurve, clippingOf, type Guess } from "@dosimeter/planner";
import { formatNumber, lineChart } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";
import { statisticOf } from "@dosimeter/query/statistics";
import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { Figure } from "../parts/Figure.tsx";
import { CommitNumber, LongText } from "../parts/fields.tsx";
import { numberOf } from "../parts/number-text.ts";
import { boundIn, type WorkRow } from "./workbench.ts";

/** The fewest public values that say enough about a tail. */
const MIN_VALUES = 10;

const numbersIn = (text: string): readonly number[] =>
  text.split(/[\s;]+/).flatMap((word) => {
    const value = numberOf(word);
    return word === "" || !Number.isFinite(value) ? [] : [Math.max(0, value)];
  });

/** Helps to choose an upper bound without the data: what it cuts off against its noise, from two guesses. */
export function Clipping({
  row,
  declaration,
  onUpper,
}: {
  row: WorkRow;
  declaration: Declaration;
  onUpper: (upper: string) => void;
}) {
  const column = declaration.columns[row.settings.column ?? ""];
  const lower = boundIn(row.settings.lower, column, "lower");
  const upper = boundIn(row.settings.upper, column, "upper");
  const error = row.quote?.accuracy.halfWidth ?? null;
  const [guess, setGuess] = useState<Guess>({
    typical: Number((upper / 6).toPrecision(2)) || 1,
    topPercent: Number((upper * 0.9).toPrecision(2)) || 2,
  });
  const [publicText, setPublicText] = useState("");
  const known = useMemo(() => numbersIn(publicText), [publicText]);
  const isMean = row.quote !== null && statisticOf(row.quote.statistic).errorScale === "range";
  const points = useMemo(
    () =>
      error === null || !(upper > lower)
        ? []
        : known.length >= MIN_VALUES
          ? clippingOf(known, error / (upper - lower))
          : clippingCurve(guess, error / (upper - lower), normalCdf),
    [guess, known, error, upper, lower],
  );
  if (!isMean || points.length === 0 || lower < 0 || column?.calendar !== undefined)
    return <p className="soft small">For the mean of a column that starts at 0 or above, once the row has an error.</p>;
  const best = points.reduce((a, b) => (b.bias + b.noise < a.bias + a.noise ? b : a));
  const rounded = Number(best.upper.toPrecision(2));
  const set = (key: keyof Guess) => (typed: { readonly value: number } | null) => {
    const value = typed?.value ?? 0;
    const next = { ...guess, [key]: value };
    if (!(value > 0) || !(next.topPercent > next.typical))
      return "Both must be above 0, and the second larger than the first.";
    setGuess(next);
    return undefined;
  };
  return (
    <div className="stack gap-12">
      <div className="plan-row-more unpadded">
        <CommitNumber
          label="A typical value"
          wish={{ above: 0 }}
          value={String(guess.typical)}
          onCommit={set("typical")}
        />
        <CommitNumber
          label="One in a hundred is above"
          wish={{ above: 0 }}
          value={String(guess.topPercent)}
          onCommit={set("topPercent")}
        />
      </div>
      <LongText
        label="Or values from a public source"
        description={
          known.length === 0
            ? "Paste a column of numbers that anyone may see, never the table’s own."
            : known.length < MIN_VALUES
              ? `${known.length} of at least ${MIN_VALUES} values.`
              : `${known.length} values, used instead of the two guesses.`
        }
        minRows={1}
        maxRows={4}
        value={publicText}
        onChange={setPublicText}
      />
      <Figure
        isBare
        chart={(size) =>
          lineChart(
            {
              title: "What an upper bound costs",
              x: { label: "upper bound", scale: "log" },
              y: { label: "off by", includeZero: true },
              series: [
                { name: "cut off on average", points: points.map((point) => [point.upper, point.bias] as const) },
                { name: "noise ±", points: points.map((point) => [point.upper, point.noise] as const) },
                { name: "both", points: points.map((point) => [point.upper, point.bias + point.noise] as const) },
              ],
              references: [{ axis: "x", value: upper, label: "now" }],
              summary: `Both together are least at an upper bound of about ${formatNumber(rounded)}: ${formatNumber(best.bias, 3)} cut off and noise of ± ${errorText(best.noise)}.`,
            },
            { ...size, height: 240 },
          )
        }
      />
      <p className="small flush">
        At {formatNumber(upper)} the mean is too low by about{" "}
        {formatNumber(points.reduce((a, b) => (Math.abs(b.upper - upper) < Math.abs(a.upper - upper) ? b : a)).bias, 3)}{" "}
        and noise adds ± {errorText(error ?? 0)}.{" "}
        {known.length < MIN_VALUES ? "The two guesses are yours; take them from public sources." : ""}
      </p>
      <div>
        <Button size="xs" variant="default" onClick={() => onUpper(String(rounded))}>
          Upper bound {formatNumber(rounded)}
        </Button>
      </div>
    </div>
  );
}
