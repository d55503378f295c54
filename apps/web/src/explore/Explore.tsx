import { Link } from "@tanstack/react-router";
import type { ExplorePath } from "../help/help.ts";
import { Page } from "../parts/Page.tsx";
import { explorePages } from "./pages.ts";

/** One sentence on the card of each page; here, where no other page loads them. */
const descriptions: Readonly<Record<ExplorePath, string>> = {
  "why-noise": "In 60 seconds: how two exact numbers give one person away, what noise changes, and why it runs out.",
  "one-person": "What could someone learn about you from this page of answers? Print it again and again, and see.",
  plan: "Split a budget over means, histograms and counts of a census example (columns only) or of a table you describe; see every error first.",
  "trade-offs":
    "Trade-off functions of ε and δ, Gaussian and Laplace noise, points and compositions: what an attacker can do at each error rate.",
  accountants:
    "Paste a list of spends: every accountant's total of it, what each assumes, how many more answers fit, and what a ledger would have admitted.",
  "privacy-at-risk":
    "ε in probabilities and in money: the published model to its printed digits, with the correct value next to each number.",
  epsilon:
    "What an ε buys in accuracy and gives away about a person; then four steps and five factors that narrow a range.",
  certificate:
    "Paste the export of a ledger, or a permit: signature, chain, prices and caps are checked in your browser.",
};

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
            <p className="soft flush">{descriptions[page.path]}</p>
          </article>
        ))}
      </div>
    </Page>
  );
}
