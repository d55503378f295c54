import { laplacePmf } from "@dosimeter/core/internal";
import { formatNumber, lineChart, roundTowards } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { countError, guessesRight, ofHundred } from "../../parts/calculus.ts";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Facts, Page } from "../../parts/Page.tsx";
import { EpsilonSlider } from "../EpsilonSlider.tsx";
import { drawNoise } from "../noise.ts";

/** People on sick leave without the new colleague. */
const BEFORE = 100;
const MAX_ASKED = 50;

/** Explore → Why add noise: two exact numbers, two noisy ones, and the same question again and again. */
export function WhyNoise() {
  const [epsilon, setEpsilon] = useState(0.3);
  const [draws, setDraws] = useState(1);
  const [may = 0, june = 0] = useMemo(() => (draws > 0 ? drawNoise(epsilon, 2) : []), [epsilon, draws]);
  const error = countError(epsilon, 0.05);
  const factor = roundTowards(Math.exp(epsilon), "up", 3);
  const reach = Math.max(8, Math.ceil(1.5 * error));
  const counts = Array.from({ length: 2 * reach + 2 }, (_, at) => BEFORE - reach + at);
  const curve = (name: string, center: number) => ({
    name,
    points: counts.map((count) => [count, 100 * laplacePmf(1 / epsilon, count - center)] as const),
  });
  const asked = Array.from({ length: MAX_ASKED }, (_, at) => at + 1);
  return (
    <Page
      title="Why add noise"
      lead="Sixty seconds. A firm prints how many of its people are on sick leave. In June one thing changed: you joined."
      crumbs="Explore"
    >
      <div className="stack">
        <Card title="1 · Two exact numbers give you away">
          <Facts of={{ May: <Big of={BEFORE} />, June: <Big of={BEFORE + 1} />, "So you are": "on sick leave" }} />
          <p className="soft flush below-12">
            No one looked at a row about you. A difference of two totals was enough.
          </p>
        </Card>
        <Card
          title="2 · Noise blurs the difference"
          aside={
            <Button size="xs" variant="default" onClick={() => setDraws(draws + 1)}>
              Draw again
            </Button>
          }
        >
          <div aria-live="polite" className="above-12">
            <Facts
              of={{
                May: <Big of={BEFORE + may} />,
                June: <Big of={BEFORE + 1 + june} />,
                "Each is": `± ${error}`,
                "A guess about you is right": `at most ${ofHundred(guessesRight(epsilon))} of 100 times`,
              }}
            />
          </div>
          <div className="above-12">
            <EpsilonSlider epsilon={epsilon} onChange={setEpsilon} />
          </div>
          <Figure
            level={3}
            chart={(size) =>
              lineChart(
                {
                  title: "What June can come out as",
                  x: { label: "people on sick leave, as printed" },
                  y: { label: "chance in %" },
                  series: [curve("you are at work", BEFORE), curve("you are on sick leave", BEFORE + 1)],
                  references: [{ axis: "x", value: BEFORE + 1 + june, label: `printed: ${BEFORE + 1 + june}` }],
                  summary: `The chances of every printed number with you at work and with you on sick leave: one is at most ${factor} times the other.`,
                },
                { ...size, height: 240 },
              )
            }
            caption={`Whatever is printed, it is at most e^ε = ${factor} times as likely in one world as in the other.`}
          />
        </Card>
        <Card title="3 · Asked again and again, noise wears off">
          <Figure
            level={3}
            chart={(size) =>
              lineChart(
                {
                  title: "Of 100 guesses about you, right at most",
                  x: { label: "times that the same is asked" },
                  y: { label: "right guesses of 100", domain: [50, 100] },
                  series: [
                    { name: "right guesses", points: asked.map((k) => [k, 100 * guessesRight(k * epsilon)] as const) },
                  ],
                  legend: "never",
                  summary: `At most ${ofHundred(guessesRight(epsilon))} of 100 guesses are right after one answer, ${ofHundred(guessesRight(10 * epsilon))} after ten: ε adds up.`,
                },
                { ...size, height: 220 },
              )
            }
            caption="Fresh noise every time would average out. So answers are kept and read again for nothing, and all others are paid from one budget that does not grow: when it is spent, no more is said."
          />
          <p className="flush below-12">
            <Link to="/explore/one-person">What could someone learn about you from a whole page?</Link>
          </p>
        </Card>
      </div>
    </Page>
  );
}

const Big = ({ of }: { of: number }) => <span className="big-number">{formatNumber(of)}</span>;
