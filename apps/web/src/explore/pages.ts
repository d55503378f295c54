import type { ComponentType } from "react";
import type { ExplorePath } from "../help/help.ts";

/** A page of Explore: needs no account and no server, and loads when it is opened. */
interface ExplorePage {
  /** The last part of its address. */
  readonly path: ExplorePath;
  readonly title: string;
  readonly load: () => Promise<{ readonly page: ComponentType }>;
}

/** Every page of Explore, in the order shown. Add a row to add a page. */
export const explorePages: readonly ExplorePage[] = [
  {
    path: "why-noise",
    title: "Why add noise",
    load: () => import("./why-noise/WhyNoise.tsx").then(({ WhyNoise }) => ({ page: WhyNoise })),
  },
  {
    path: "one-person",
    title: "One person's view",
    load: () => import("./one-person/OnePerson.tsx").then(({ OnePerson }) => ({ page: OnePerson })),
  },
  {
    path: "plan",
    title: "Plan",
    load: () => import("./plan/Plan.tsx").then(({ Plan }) => ({ page: Plan })),
  },
  {
    path: "trade-offs",
    title: "Trade-offs",
    load: () => import("./tradeoff/Tradeoff.tsx").then(({ Tradeoff }) => ({ page: Tradeoff })),
  },
  {
    path: "accountants",
    title: "Accountants",
    load: () => import("./accountants/Accountants.tsx").then(({ Accountants }) => ({ page: Accountants })),
  },
  {
    path: "privacy-at-risk",
    title: "Privacy at risk",
    load: () => import("./risk/PrivacyAtRisk.tsx").then(({ PrivacyAtRisk }) => ({ page: PrivacyAtRisk })),
  },
  {
    path: "epsilon",
    title: "Choosing ε",
    load: () => import("./choosing/Chooser.tsx").then(({ ChoosingEpsilon }) => ({ page: ChoosingEpsilon })),
  },
  {
    path: "certificate",
    title: "Check a certificate",
    load: () => import("./certificate/Certificate.tsx").then(({ Certificate }) => ({ page: Certificate })),
  },
];
