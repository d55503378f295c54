import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { countError } from "../parts/calculus.ts";

/**
 * A release of the demo: `count where age >= 65` of its 20,000 made-up people at ε = 0.1. The noise that was drawn is known only because the
 * people are made up; `test/landing-example.test.ts` counts them again.
 */
export const example = { epsilon: 0.1, lifetime: 5, answer: 2955, noise: -23 } as const;

const { epsilon, lifetime, answer, noise } = example;
const within = countError(epsilon, 0.05);

/** A release that plays, over and over, in twenty seconds; still where less motion is wanted. Its words and numbers are there all the time. */
export function Playing() {
  const [isPaused, setPaused] = useState(false);
  return (
    <section className="playing" data-paused={isPaused} aria-labelledby="playing">
      <div className="playing-head">
        <h2 id="playing">A release in 20 seconds</h2>
        <button type="button" className="tool" onClick={() => setPaused(!isPaused)}>
          {isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          {isPaused ? "Play" : "Pause"}
        </button>
      </div>
      <ol>
        <Step name="Plan" says="What you want to know, in a line.">
          <p className="playing-line">
            count <span className="soft">where</span> age ≥ 65
          </p>
        </Step>
        <Step name="Quote" says="Its error and its price, before anyone looks at the data.">
          <p className="playing-number">
            ± {within} <small>in 95 of 100 cases</small>
          </p>
          <p className="playing-line">ε {epsilon}</p>
        </Step>
        <Step name="Noise" says="The exact count stays inside. One draw of noise hides each person.">
          <Draw />
        </Step>
        <Step
          name="Answer"
          says={`Kept for ever, free to read again. ε\u00a0${lifetime - epsilon}\u00a0of\u00a0${lifetime} are left.`}
        >
          <p className="playing-number">
            {answer.toLocaleString("en")} <small>± {within}</small>
          </p>
          <Interval />
        </Step>
      </ol>
      <p className="soft small">
        A real answer of the demo, about 20,000 made-up people. Your own draw would be another one.
      </p>
    </section>
  );
}

function Step({ name, says, children }: { name: string; says: string; children: ReactNode }) {
  return (
    <li>
      <div className="playing-bar" aria-hidden>
        <span />
      </div>
      <h3>{name}</h3>
      <div className="playing-shows">{children}</div>
      <p className="soft small">{says}</p>
    </li>
  );
}

/** Noise farther out than this is not drawn: one draw in 400. */
const REACH = 60;
const WIDTH = 2 * REACH;
const HEIGHT = 44;
const yAt = (k: number): number => HEIGHT - 34 * Math.exp(-epsilon * Math.abs(k));

/** The chances of discrete Laplace noise, and the draw of the example falling into its place. */
function Draw() {
  const steps = Array.from({ length: WIDTH + 1 }, (_, index) => index - REACH);
  const top = steps.map((k) => `${k + REACH},${yAt(k).toFixed(2)}`).join(" ");
  return (
    <svg
      className="playing-draw"
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 4}`}
      role="img"
      aria-label={`The chances of the noise, highest at none; ${Math.abs(noise)} ${noise < 0 ? "less" : "more"} was drawn`}
    >
      <polygon points={`0,${HEIGHT} ${top} ${WIDTH},${HEIGHT}`} />
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <circle cx={noise + REACH} cy={HEIGHT - 2.5} r={2.5} />
    </svg>
  );
}

function Interval() {
  const [from, to] = [answer - within, answer + within].map((end) => end.toLocaleString("en"));
  return (
    <svg className="playing-interval" viewBox="0 0 120 16" role="img" aria-label={`from ${from} to ${to}`}>
      <path d="M8 8H112M8 3V13M112 3V13" />
      <circle cx={60} cy={8} r={4} />
    </svg>
  );
}
