import { formatNumber, lineChart } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { beliefAfter, countError, guessesRight, ofHundred } from "../../parts/calculus.ts";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Check } from "../../parts/fields.tsx";
import { Card, Facts, Page } from "../../parts/Page.tsx";
import { EpsilonSlider } from "../EpsilonSlider.tsx";
import { drawNoise } from "../noise.ts";

/** A survey that is made up: how many answered so, without you. */
const survey = [
  { name: "took part", without: 411 },
  { name: "smoke", without: 95 },
  { name: "have diabetes", without: 30 },
  { name: "were in hospital last year", without: 53 },
  { name: "take sleeping pills", without: 46 },
  { name: "live alone", without: 119 },
] as const;
const PAGES = 100;

/** In three digits, and near certainty in as many as are no certainty. */
const percent = (belief: number): string => (belief < 0.99 ? formatNumber(100 * belief, 3) : ofHundred(belief));

/** Explore → One person's view: a page of noisy counts, and what who knows everyone else makes of it. */
export function OnePerson() {
  const [epsilon, setEpsilon] = useState(0.2);
  const [printed, setPrinted] = useState<readonly string[]>(["took part", "smoke", "have diabetes"]);
  const [edition, setEdition] = useState(1);
  /** Each page as it could have been printed; the first is shown. */
  const pages = useMemo(
    () =>
      Array.from({ length: edition > 0 ? PAGES : 0 }, () =>
        drawNoise(epsilon, survey.length).map((noise, at) => (survey[at]?.without ?? 0) + 1 + noise),
      ),
    [epsilon, edition],
  );
  const beliefs = pages.map((page) =>
    beliefAfter(
      0.5,
      epsilon,
      survey.flatMap(({ name, without }, at) => (printed.includes(name) ? [{ printed: page[at] ?? 0, without }] : [])),
    ),
  );
  const spent = Number((printed.length * epsilon).toPrecision(6));
  const most = guessesRight(spent);
  const [now = 0.5] = beliefs;
  const error = countError(epsilon, 0.05);
  return (
    <Page
      title="One person's view"
      lead="What could someone learn about you from this page of answers? Suppose the worst: they know every other person of the survey and what you would have said, and only wonder whether you took part."
      crumbs="Explore"
    >
      <div className="stack">
        <Card
          title="The page"
          aside={
            <Button size="xs" variant="default" onClick={() => setEdition(edition + 1)}>
              Print it with new noise
            </Button>
          }
        >
          <DataTable
            caption="Answers of a survey that is made up. You are in it, and count in each."
            columns={[
              {
                name: "Is printed",
                isHead: true,
                cell: ({ name }: (typeof survey)[number]) => (
                  <Check
                    label={`How many ${name}?`}
                    checked={printed.includes(name)}
                    onChange={(isOn) => setPrinted(isOn ? [...printed, name] : printed.filter((each) => each !== name))}
                  />
                ),
              },
              {
                name: "Answer",
                isNumber: true,
                cell: (row) =>
                  printed.includes(row.name) ? `${formatNumber(pages[0]?.[survey.indexOf(row)] ?? 0)} ± ${error}` : "–",
              },
            ]}
            rows={survey}
            keyOf={({ name }) => name}
          />
          <div className="above-12">
            <EpsilonSlider epsilon={epsilon} onChange={setEpsilon} />
          </div>
        </Card>
        <Card title="What they make of it">
          <div aria-live="polite" className="above-12">
            <Facts
              of={{
                "Before, by a coin": "50 %",
                "They now believe that you took part": <strong>{percent(now)} %</strong>,
                "No page like this brings them above": <strong>{ofHundred(most)} %</strong>,
                "The page costs": `ε ${formatNumber(spent)}`,
              }}
            />
          </div>
          <Figure
            level={3}
            chart={(size) =>
              lineChart(
                {
                  title: "The same page, printed 100 times",
                  x: { label: "what they believe, in %", domain: [0, 100] },
                  y: { label: "printing", domain: [0, PAGES + 1] },
                  series: [
                    {
                      name: "after one printing",
                      draw: "points",
                      points: beliefs.map((belief, at) => [100 * belief, at + 1] as const),
                    },
                  ],
                  references: [
                    { axis: "x", value: 100 * (1 - most), label: "" },
                    { axis: "x", value: 100 * most, label: `at most ${ofHundred(most)} %` },
                  ],
                  legend: "never",
                  summary: `After each of 100 printings, who knows everyone else believes between ${percent(Math.min(...beliefs))} and ${percent(Math.max(...beliefs))} % that you took part, and never more than ${ofHundred(most)} %.`,
                },
                { ...size, height: 260 },
              )
            }
            caption="Each point is a printing with noise of its own; one is published, and a second would cost as much again. Only how many answers there are and what each costs move the limit: what the answers are about does not."
          />
        </Card>
        <Card title="What no noise hides">
          <p className="flush">
            That smokers fall ill more often is true with and without you. A reader who learns it may think so of you as
            well: that is knowledge about people, not about your answers.
          </p>
        </Card>
      </div>
    </Page>
  );
}
