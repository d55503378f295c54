import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { PageHelp } from "../help/PageHelp.tsx";
import { Mark } from "../parts/Mark.tsx";
import "./sign-in.css";
import { useSession } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";

/** The frame of the pages in front of the platform: what it is at the side, the way in before it. */
export function Doorway({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Dosimeter`;
  }, [title]);
  return (
    <div className="sign-in">
      <section className="sign-in-story" aria-label="About Dosimeter">
        <Link to="/" className="brand unpadded">
          <Mark size={36} /> Dosimeter
        </Link>
        <blockquote>
          A dataset has one lifetime budget of privacy. Dosimeter measures every dose, and never lets it be exceeded.
        </blockquote>
        <p className="small">
          Not signed up? <Link to="/explore">Explore the mathematics</Link> without signing in.
        </p>
      </section>
      <main id="page" className="sign-in-form" tabIndex={-1}>
        <div>
          <div>
            <div className="page-title">
              <h1>{title}</h1>
              <PageHelp />
            </div>
            <p className="soft flush below-8">{lead}</p>
          </div>
          {children}
        </div>
      </main>
    </div>
  );
}

/** Why the people of the demo cannot sign in any more, where there was one. */
export function DemoEnded() {
  const session = useSession();
  if (session.data?.demo !== "ended") return null;
  return (
    <Notice tone="warn" title="The demo’s people can no longer sign in">
      <p>
        A real person was added to this server, and among real people no one acts under a made-up name. Datasets,
        budgets and releases of the demo are kept. In the terminal,{" "}
        <span className="code unbroken">dosimeter person link</span> lets a real person in. For a new demo, run{" "}
        <span className="code unbroken">dosimeter serve --demo</span> on an empty data folder.
      </p>
    </Notice>
  );
}
