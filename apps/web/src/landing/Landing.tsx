import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Mark } from "../parts/Mark.tsx";
import { DemoEnded } from "../sign-in/Doorway.tsx";
import { Guesses } from "./Guesses.tsx";
import { Playing } from "./Playing.tsx";
import "./landing.css";

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
