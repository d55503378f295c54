import { errorText } from "@dosimeter/core/internal";
import { formatNumber, lineChart } from "@dosimeter/plot";
import { inNoun, type UnitNoun } from "@dosimeter/query/declaration";
import { Slider } from "@mantine/core";
import { useId, useState } from "react";
import { atMostOf100, countError, guessesRight, ofHundred, posterior } from "../../parts/calculus.ts";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Facts } from "../../parts/Page.tsx";

const STEPS = 60;
const MIN = 0.01;
const MAX = 10;
/** ε on a logarithmic slider: position 0 … 60. */
const epsilonAt = (position: number): number => Number((MIN * (MAX / MIN) ** (position / STEPS)).toPrecision(2));
const POSITIONS = Array.from({ length: STEPS + 1 }, (_, position) => position);
const PRIORS = [0.01, 0.1, 0.5];

/** The error of an ε, and what it reveals about one person, side by side. Needs no data and no server. */
export function Epsilon({ noun }: { noun?: UnitNoun | undefined }) {
  const [position, setPosition] = useState(40);
  const epsilon = epsilonAt(position);
  const error = countError(epsilon, 0.05);
  const id = useId();
  const people = noun?.many ?? "people";
  return (
    <div className="stack">
      <Card title="1 · What ε does">
        <div className="stack gap-12">
          <strong id={id}>
            ε = <span className="big-number">{formatNumber(epsilon, 2)}</span>
          </strong>
          <Slider
            min={0}
            max={STEPS}
            step={1}
            value={position}
            onChange={setPosition}
            label={(value) => `ε ${formatNumber(epsilonAt(value), 2)}`}
            thumbLabel="epsilon"
            thumbValueText={`epsilon ${formatNumber(epsilon, 2)}`}
            size="lg"
          />
        </div>
        <Facts
          of={{
            "Error of a count (95 %)": `± ${errorText(error)} ${people}`,
            [`Guessing whether one ${noun?.one ?? "person"} is in the data`]: `at most ${ofHundred(guessesRight(epsilon))} of 100 guesses are right`,
            "A 10 % suspicion becomes": `at most ${atMostOf100(posterior(0.1, epsilon))} %`,
          }}
        />
      </Card>
      <div
        className="columns"
        style={{ gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 420px), 1fr))", alignItems: "stretch" }}
      >
        <Card>
          <Figure
            level={2}
            chart={(size) =>
              lineChart(
                {
                  title: "Error of a count",
                  x: { label: "ε", scale: "log", domain: [MIN, MAX] },
                  y: { label: `error ± (${people}, 95 %)`, scale: "log" },
                  series: [
                    {
                      name: "error of a count",
                      points: POSITIONS.map(
                        (at) => [epsilonAt(at), Math.max(0.5, countError(epsilonAt(at), 0.05))] as const,
                      ),
                    },
                  ],
                  markers: [
                    {
                      x: epsilon,
                      y: Math.max(0.5, error),
                      label: `ε ${formatNumber(epsilon, 2)}: ± ${errorText(error)}`,
                    },
                  ],
                  summary: `At ε ${formatNumber(epsilon, 2)} a count of ${people} is within ± ${errorText(error)} in 95 of 100 cases; ten times the ε is a tenth of the error.`,
                },
                size,
              )
            }
            caption={inNoun(
              "Discrete Laplace noise on a count where each person counts once. An error of 0 is drawn at ½.",
              noun,
            )}
          />
        </Card>
        <Card>
          <Figure
            level={2}
            chart={(size) =>
              lineChart(
                {
                  title: "What a suspicion can become",
                  x: { label: "ε", scale: "log", domain: [MIN, MAX] },
                  y: { label: "at most (probability)", domain: [0, 1] },
                  series: PRIORS.map((prior) => ({
                    name: `from ${formatNumber(100 * prior)} %`,
                    points: POSITIONS.map((at) => [epsilonAt(at), posterior(prior, epsilonAt(at))] as const),
                  })),
                  references: [{ axis: "x", value: epsilon, label: `ε ${formatNumber(epsilon, 2)}` }],
                  summary: `Someone who thinks it ${formatNumber(10)} % likely that you took part can be brought to ${atMostOf100(posterior(0.1, epsilon))} % at most by everything published with ε ${formatNumber(epsilon, 2)}.`,
                },
                size,
              )
            }
            caption="For everything published with this total ε. A guarantee with δ adds a separate, small chance of failure."
          />
        </Card>
      </div>
    </div>
  );
}
