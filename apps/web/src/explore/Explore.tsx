import { Link } from "@tanstack/react-router";
import { Page } from "../parts/Page.tsx";
import { explorePages } from "./pages.ts";

/** Links to the pages that need no account and no server. */
export function Explore() {
  return (
    <Page
      title="Explore"
      lead="Privacy budgets, explained by trying them. Everything here is computed in your browser; nothing is sent anywhere."
    >
      <div className="cards">
        {explorePages.map((page) => (
          <article key={page.path} className="card">
            <h2>
              <Link to={`/explore/${page.path}`}>{page.title}</Link>
            </h2>
            <p className="soft flush">{page.description}</p>
          </article>
        ))}
      </div>
    </Page>
  );
}
