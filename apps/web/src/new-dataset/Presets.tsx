import { type CalendarUnit, protectedUnit } from "@dosimeter/core";
import { errorText } from "@dosimeter/core/internal";
import { formatNumber } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { epsilonForCount } from "../explore/choosing/range.ts";
import { atMostOf100, guessesRight, ofHundred, posterior } from "../parts/calculus.ts";
import { type NounProps, typicalWidth } from "./extreme.ts";
import { type QuotaChoice, type QuotaNoun, quotaBuys, quotaChoices, type Room, shareText } from "./quota.ts";
import "./set-up.css";

/** Published values of ε: what it was spent on, for whom, and where it is written. */
interface Deployment {
  readonly who: string;
  readonly epsilon: string;
  readonly what: string;
  readonly source: string;
  readonly url: string;
}

/** A few of different sizes. They protect different units, so their ε are no ranking. */
const deployments: readonly Deployment[] = [
  {
    who: "Wikimedia",
    epsilon: "about 1",
    what: "page views of a day by country, for one device and day, since 2023 (ρ = 0.015)",
    source: "Wikimedia, Pageviews Differential Privacy, 2024",
    url: "https://analytics.wikimedia.org/published/datasets/country_project_page/00_README.html",
  },
  {
    who: "Apple",
    epsilon: "4",
    what: "popular emoji, for one user and day, noise added on the device",
    source: "D. Desfontaines, A list of real-world uses of differential privacy",
    url: "https://desfontain.es/blog/real-world-differential-privacy.html",
  },
  {
    who: "US Census Bureau",
    epsilon: "17.14",
    what: "2020 Census redistricting data, for one person, once (production settings of June 2021)",
    source: "J. Abowd and others, The 2020 Census TopDown Algorithm, HDSR 2022",
    url: "https://hdsr.mitpress.mit.edu/pub/7evz361i/release/1",
  },
  {
    who: "LinkedIn",
    epsilon: "34.9",
    what: "audience engagement answers, for one member, to one analyst, each month",
    source: "R. Rogers and others, LinkedIn’s Audience Engagements API, 2020",
    url: "https://arxiv.org/abs/2002.05839",
  },
];

const presets = [
  { name: "Careful", epsilon: 0.5, for: "health, money or beliefs; a few good answers" },
  { name: "Usual", epsilon: 1, for: "ordinary data; a year of reports" },
  { name: "Open", epsilon: 3, for: "data that many know anyway; many users" },
] as const;

/** How many counts an ε pays for. One that pays for none says how far it goes. */
const countsText = (counts: number, within: string): string =>
  counts >= 2
    ? `About ${formatNumber(Math.floor(counts), 2)} counts within ${within}, each.`
    : counts >= 1
      ? `One count within ${within}.`
      : `No count within ${within}: that takes ${formatNumber(Math.ceil(10 / counts) / 10, 3)} times as much.`;

/** Three values of ε with what each allows, and what others chose. */
export function Presets({
  epsilon,
  people,
  noun,
  blocks,
  onUse,
}: {
  epsilon: string;
  people: number | undefined;
  blocks: { readonly every: CalendarUnit } | undefined;
  onUse: (epsilon: string) => void;
} & NounProps) {
  const width = typicalWidth(people);
  const perRelease = epsilonForCount(width);
  const size = people === undefined ? "" : ` of ${formatNumber(people, 15)}`;
  return (
    <section className="stack presets" aria-label="Usual choices of ε">
      <div className="preset-cards">
        {presets.map((preset) => (
          <Preset key={preset.name} {...preset} typed={epsilon} onUse={onUse}>
            <li>
              Who guesses whether {protectedUnit("one", noun.one, blocks)} is in the table is right in at most{" "}
              {ofHundred(guessesRight(preset.epsilon))} of 100 cases.
            </li>
            <li>
              A suspicion of 10 % becomes at most{" "}
              <span className="nowrap">{atMostOf100(posterior(0.1, preset.epsilon))} %</span>.
            </li>
            <li>{countsText(preset.epsilon / perRelease, `± ${errorText(width)}${size} ${noun.many}`)}</li>
          </Preset>
        ))}
      </div>
      <details>
        <summary>What others chose</summary>
        <ul className="deployments">
          {deployments.map(({ who, epsilon, what, source, url }) => (
            <li key={who}>
              <strong>
                {who}: ε {epsilon}
              </strong>{" "}
              {what}.{" "}
              <a href={url} target="_blank" rel="noreferrer">
                {source}
              </a>
            </li>
          ))}
        </ul>
        <p className="soft small">
          They protect different things for different times, so a smaller ε is not always a stronger promise.
        </p>
      </details>
    </section>
  );
}

/** Three quotas with what each buys, and what part of the room the typed one is. */
export function QuotaPresets({
  epsilon,
  people,
  noun,
  room,
  onUse,
}: {
  epsilon: string;
  people: number | undefined;
  noun: QuotaNoun | undefined;
  room: Room | undefined;
  onUse: (epsilon: string) => void;
}) {
  const share = shareText(epsilon, room);
  return (
    <section className="stack presets" aria-label="Usual budgets">
      <p className="soft small flush">
        Budgets are counted in ε. Each answer takes a part: the more it takes, the closer the answer is to the truth,
        and the more it may say about one {noun?.one ?? "person"}. The errors below are of one answer that takes the
        whole budget, where each {noun?.one ?? "person"} counts once.
      </p>
      {share === undefined ? null : <p className="flush">{share}</p>}
      <div className="preset-cards">
        {quotaChoices(room).map((choice) => (
          <Preset key={choice.name} {...choice} typed={epsilon} onUse={onUse}>
            {quotaBuys(choice.epsilon, people, noun?.many).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </Preset>
        ))}
      </div>
    </section>
  );
}

function Preset({
  name,
  epsilon,
  for: purpose,
  typed,
  onUse,
  children,
}: QuotaChoice & { for?: string; typed: string; onUse: (epsilon: string) => void; children: ReactNode }) {
  const isChosen = Number(typed) === epsilon;
  return (
    <article className="preset" data-chosen={isChosen}>
      <h3>{name}</h3>
      <p className="preset-number">
        <span>ε</span> {epsilon}
      </p>
      {purpose === undefined ? null : <p className="soft small">{purpose}</p>}
      <ul>{children}</ul>
      <Button
        size="xs"
        variant={isChosen ? "filled" : "default"}
        aria-label={`Use this: ε ${epsilon}`}
        onClick={() => onUse(String(epsilon))}
      >
        Use this
      </Button>
    </article>
  );
}
