import type { ComponentType } from "react";

/** A page of Explore: needs no account and no server, and loads when it is opened. */
export interface ExplorePage {
  /** The last part of its address. */
  readonly path: string;
  readonly title: string;
  /** One sentence on the card that leads to it. */
  readonly description: string;
  readonly load: () => Promise<{ readonly page: ComponentType }>;
}

/** Every page of Explore, in the order shown. Add a row to add a page. */
export const explorePages: readonly ExplorePage[] = [
  {
    path: "epsilon",
    title: "What ε buys",
    description:
      "How large the error of an answer is at each ε, and what the same ε tells someone who guesses about you.",
    load: () => import("./Epsilon.tsx").then(({ Epsilon }) => ({ page: Epsilon })),
  },
];
