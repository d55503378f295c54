import { Link } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { useSession } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Mark } from "../parts/Mark.tsx";
import { DemoEnded } from "../sign-in/Doorway.tsx";
import { Playing } from "./Playing.tsx";
import "./landing.css";
import { errorText } from "@dosimeter/core/internal";
import { countError, rightOf100 } from "../parts/calculus.ts";

const EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7, 10] as const;
const START = EPSILONS.indexOf(1);

const DOTS = Array.from({ length: 100 }, (_, index) => index);
const ROWS = 10;
/** Width of a column, and of the gap between right and wrong guesses, in dots. */
const GAP = 2;

/** A slider for ε that moves 100 dots: the guesses about one person that can be right, and the others. */
function Guesses() {
  const [position, setPosition] = useState(START);
  const id = useId();
  const epsilon = EPSILONS[position] ?? 1;
  const right = rightOf100(epsilon);
  const sentence = `at most ${right} are right on average`;
  return (
    <section className="guesses" aria-labelledby={`${id}-name`}>
      <label id={`${id}-name`} htmlFor={id}>
        A budget of <span className="guesses-number">ε = {epsilon}</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={EPSILONS.length - 1}
        step={1}
        value={position}
        aria-valuetext={`epsilon ${epsilon}: ${sentence}`}
        onChange={(event) => setPosition(Number(event.currentTarget.value))}
      />
      <div className="guesses-ends small soft" aria-hidden>
        <span>reveals less</span>
        <span>answers more</span>
      </div>
      <svg
        viewBox={`0 0 ${10 + GAP} ${ROWS}`}
        role="img"
        aria-label={`100 dots: ${right} right guesses, ${100 - right} wrong`}
      >
        {DOTS.map((dot) => {
          const isRight = dot < right;
          const column = Math.floor(dot / ROWS) + (isRight ? 0 : GAP);
          return (
            <circle
              key={dot}
              data-right={isRight}
              r={isRight ? 0.34 : 0.29}
              style={{ transform: `translate(${column + 0.5}px, ${(dot % ROWS) + 0.5}px)` }}
            />
          );
        })}
      </svg>
      <p aria-live="polite">
        Of 100 guesses whether one person is in the data, <strong>{sentence}</strong>. A coin gets 50.
      </p>
      <p className="soft small">
        A count of people is then within ± {errorText(countError(epsilon, 0.05))} in 95 of 100 cases.
      </p>
    </section>
  );
}

/** The front page of who is not signed in: what this is, what ε means, what a release is, and the ways in. */
export function Landing() {
  const session = useSession();
  const isDemo = session.data?.demo === "on";
  useEffect(() => {
    document.title = "Dosimeter";
  }, []);
  return (
    <div className="landing">
      <header className="landing-top">
        <Link to="/" className="brand">
          <Mark size={32} /> Dosimeter
        </Link>
        <nav aria-label="Main">
          <Link to="/explore">Explore</Link>
          <Link to="/explore/epsilon">Choose ε</Link>
          <a href="docs/index.html">Docs</a>
          <Link to="/sign-in">Sign in</Link>
        </nav>
      </header>
      <main id="page" tabIndex={-1}>
        <DemoEnded />
        <section className="landing-first" aria-label="About Dosimeter">
          <div className="landing-words">
            <h1>
              Ask questions of sensitive data: Dosimeter measures what each answer reveals about any one person, and
              stops when the budget is spent.
            </h1>
            <div className="page-actions">
              <ButtonLink to="/sign-in" size="md">
                {isDemo ? "Try the demo" : "Sign in"}
              </ButtonLink>
              <ButtonLink to="/explore" size="md" variant="default">
                Explore without signing in
              </ButtonLink>
            </div>
            <p className="soft flush">
              New to this? <Link to="/explore/epsilon">Read what ε means</Link>, then{" "}
              <Link to="/explore/plan">plan statistics</Link> on an example.
            </p>
          </div>
          <Guesses />
        </section>
        <Playing />
      </main>
    </div>
  );
}
