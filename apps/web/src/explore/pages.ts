import type { ComponentType } from "react";
import type { ExplorePath } from "../help/help.ts";

/** A page of Explore: needs no account and no server, and loads when it is opened. */
interface ExplorePage {
  /** The last part of its address. */
  readonly path: ExplorePath;
  readonly title: string;
  /** One sentence on the card that leads to it. */
  readonly description: string;
  readonly load: () => Promise<{ readonly page: ComponentType }>;
}

/** Every page of Explore, in the order shown. Add a row to add a page. */
export const explorePages: readonly ExplorePage[] = [
  {
    path: "why-noise",
    title: "Why add noise",
    description: "In 60 seconds: how two exact numbers give one person away, what noise changes, and why it runs out.",
    load: () => import("./why-noise/WhyNoise.tsx").then(({ WhyNoise }) => ({ page: WhyNoise })),
  },
  {
    path: "one-person",
    title: "One person's view",
    description: "What could someone learn about you from this page of answers? Print it again and again, and see.",
    load: () => import("./one-person/OnePerson.tsx").then(({ OnePerson }) => ({ page: OnePerson })),
  },
  {
    path: "plan",
    title: "Plan",
    description:
      "Split a budget over means, histograms and counts of a census example (columns only) or of a table you describe; see every error first.",
    load: () => import("./plan/Plan.tsx").then(({ Plan }) => ({ page: Plan })),
  },
  {
    path: "trade-offs",
    title: "Trade-offs",
    description:
      "Trade-off functions of ε and δ, Gaussian and Laplace noise, points and compositions: what an attacker can do at each error rate.",
    load: () => import("./tradeoff/Tradeoff.tsx").then(({ Tradeoff }) => ({ page: Tradeoff })),
  },
  {
    path: "accountants",
    title: "Accountants",
    description:
      "Paste a list of spends: every accountant's total of it, what each assumes, how many more answers fit, and what a ledger would have admitted.",
    load: () => import("./accountants/Accountants.tsx").then(({ Accountants }) => ({ page: Accountants })),
  },
  {
    path: "privacy-at-risk",
    title: "Privacy at risk",
    description:
      "ε in probabilities and in money: the published model to its printed digits, with the correct value next to each number.",
    load: () => import("./risk/PrivacyAtRisk.tsx").then(({ PrivacyAtRisk }) => ({ page: PrivacyAtRisk })),
  },
  {
    path: "epsilon",
    title: "Choosing ε",
    description:
      "What an ε buys in accuracy and gives away about a person; then four steps and five factors that narrow a range.",
    load: () => import("./choosing/Chooser.tsx").then(({ ChoosingEpsilon }) => ({ page: ChoosingEpsilon })),
  },
  {
    path: "certificate",
    title: "Check a certificate",
    description:
      "Paste the export of a ledger, or a permit: signature, chain, prices and caps are checked in your browser.",
    load: () => import("./certificate/Certificate.tsx").then(({ Certificate }) => ({ page: Certificate })),
  },
];
