import { noiseSpread, practiceRandom } from "@dosimeter/planner";
import { columnChart, dotPlot, drawsStrip } from "@dosimeter/plot";
import type { QuotedStatistic } from "@dosimeter/query/quote";
import { statisticOf } from "@dosimeter/query/statistics";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { Figure } from "../parts/Figure.tsx";

const DOTS = 20;
const STILL = 9;
const FRAME_MS = 400;
const MAX_BARS = 12;
const SEED = 20;

/** What an answer could be: twenty dots, each as likely, and one hypothetical answer after the other on request. */
export function WhatComesOut({
  quote,
  target,
  people,
  units,
  unit,
}: {
  quote: QuotedStatistic;
  target: number | null;
  people: number | null;
  /** What several of the protected units are called. */
  units: string;
  unit: string | null;
}) {
  const [isPlaying, setPlaying] = useState(false);
  const [frame, setFrame] = useState(0);
  const isStill = useMemo(() => matchMedia("(prefers-reduced-motion: reduce)").matches, []);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => setFrame((before) => before + 1), FRAME_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const { halfWidth, confidence } = quote.accuracy;
  // The same order at every visit, so that pictures can be compared.
  const order = useMemo(() => {
    const random = practiceRandom(SEED);
    return Array.from({ length: 500 }, () => random.uint32() % DOTS);
  }, []);
  if (halfWidth === null || halfWidth <= 0) return <p className="soft small">This row has no error yet.</p>;
  if (quote.accuracy.useless && people !== null && halfWidth >= people)
    return <p className="soft small">At this price every possible answer could come out.</p>;
  const spread = noiseSpread(quote.noise, { halfWidth, confidence });
  const dots = Array.from({ length: DOTS }, (_, index) => spread((index + 0.5) / DOTS));
  const shown = order[frame % order.length] ?? 0;
  const isBars = statisticOf(quote.statistic).errorScale === "bins" && quote.cells <= MAX_BARS && people !== null;
  const bars = (at: number) =>
    Array.from({ length: quote.cells }, (_, bar) => {
      const dot = order[(at * quote.cells + bar) % order.length] ?? 0;
      return { value: (people ?? 0) / quote.cells + (dots[dot] ?? 0) };
    });
  return (
    <div className="stack gap-8">
      <Figure
        isBare
        chart={(size) =>
          dotPlot(
            {
              title: `What ${quote.label} could come out as`,
              dots,
              error: halfWidth,
              confidence,
              ...(unit === null ? {} : { unit }),
              ...(target === null ? {} : { target }),
              ...(isPlaying && !isBars ? { shown } : {}),
            },
            size,
          )
        }
      />
      {isStill ? (
        <Figure
          isBare
          chart={(size) =>
            drawsStrip(
              {
                title: "Nine hypothetical answers",
                draws: order.slice(0, STILL).map((index) => dots[index] ?? 0),
                error: halfWidth,
              },
              size,
            )
          }
        />
      ) : (
        <>
          {isBars ? (
            <Figure
              isBare
              chart={(size) =>
                columnChart(
                  {
                    title: "One hypothetical release, if all bars were alike",
                    names: Array.from({ length: quote.cells }, (_, bar) => String(bar + 1)),
                    nameLabel: "bin",
                    valueLabel: units,
                    series: [{ name: "simulated", values: bars(frame) }],
                  },
                  { ...size, height: 180 },
                )
              }
            />
          ) : null}
          <button type="button" className="tool" aria-pressed={isPlaying} onClick={() => setPlaying(!isPlaying)}>
            {isPlaying ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />}
            {isPlaying ? "Pause" : "Play hypothetical answers"}
          </button>
        </>
      )}
      <p className="soft small flush">
        Noise around the true value, for any true value. This picture contains no data.
      </p>
    </div>
  );
}
