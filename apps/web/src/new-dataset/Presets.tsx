import { formatNumber } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { epsilonForCount } from "../explore/choosing/range.ts";
import { atMostOf100, posterior, rightOf100 } from "../explore/epsilon/calculus.ts";
import { deployments } from "./deployments.ts";
import { type NounProps, typicalWidth } from "./typical.ts";

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
  onUse,
}: { epsilon: string; people: number | undefined; onUse: (epsilon: string) => void } & NounProps) {
  const width = typicalWidth(people);
  const perRelease = epsilonForCount(width);
  const size = people === undefined ? "" : ` of ${formatNumber(people, 15)}`;
  return (
    <section className="stack presets" aria-label="Usual choices of ε">
      <div className="preset-cards">
        {presets.map((preset) => (
          <article key={preset.name} className="preset" data-chosen={Number(epsilon) === preset.epsilon}>
            <h3>{preset.name}</h3>
            <p className="preset-number">
              <span>ε</span> {preset.epsilon}
            </p>
            <p className="soft small">{preset.for}</p>
            <ul>
              <li>
                Who guesses whether one {noun.one} is in the table is right in at most {rightOf100(preset.epsilon)} of
                100 cases.
              </li>
              <li>
                A suspicion of 10 % becomes at most{" "}
                <span className="nowrap">{atMostOf100(posterior(0.1, preset.epsilon))} %</span>.
              </li>
              <li>{countsText(preset.epsilon / perRelease, `± ${formatNumber(width, 3)}${size} ${noun.many}`)}</li>
            </ul>
            <Button
              size="xs"
              variant={Number(epsilon) === preset.epsilon ? "filled" : "default"}
              aria-label={`Use this: ε ${preset.epsilon}`}
              onClick={() => onUse(String(preset.epsilon))}
            >
              Use this
            </Button>
          </article>
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
