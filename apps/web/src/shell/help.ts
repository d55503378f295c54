import type { RegisteredRouter } from "@tanstack/react-router";

/** Where the documentation explains a page of the product. */
export interface Help {
  /** A page of `docs/`, with a heading where only a part of it is about this. */
  readonly docs: string;
  /** Read out after “Help: ”. */
  readonly about: string;
}

type Address = Exclude<keyof RegisteredRouter["routesByPath"], `/explore/${string}`>;

/** Every page by its address. A page without a row does not compile; nor does one of Explore, below. */
export const helpPages: Readonly<Record<Address, Help>> = {
  "/": { docs: "index", about: "the documentation" },
  "/sign-in": { docs: "start/first-admin", about: "how to get in" },
  "/first-admin": { docs: "start/first-admin", about: "how to get in the first time" },
  "/join": { docs: "organisation#people", about: "what an invitation does" },
  "/datasets": { docs: "start/own-csv", about: "how to add a table of your own" },
  "/datasets/new": { docs: "start/own-csv", about: "how to add a table of your own" },
  "/datasets/$dataset": { docs: "budgets", about: "what a lifetime promises" },
  "/datasets/$dataset/open": { docs: "do/choose-epsilon", about: "how to choose a lifetime" },
  "/datasets/$dataset/switch": { docs: "accounting#reports-and-filters", about: "how spending adds up" },
  "/datasets/$dataset/released": { docs: "reuse", about: "what earlier answers give for nothing" },
  "/datasets/$dataset/plan": { docs: "planning", about: "how to choose statistics and shares" },
  "/catalog": { docs: "organisation#who-is-new-and-what-one-may-ask-for", about: "what one may ask for" },
  "/catalog/$dataset": { docs: "organisation#who-is-new-and-what-one-may-ask-for", about: "what one may ask for" },
  "/releases": { docs: "planning#review-release-report", about: "what happens to an answer" },
  "/releases/$release": { docs: "planning#review-release-report", about: "how to read an answer" },
  "/requests": { docs: "organisation#requests", about: "who decides" },
  "/requests/new": { docs: "do/budget-spent", about: "what to do when a budget is spent" },
  "/teams": { docs: "do/give-a-budget", about: "how to share a budget" },
  "/teams/$team": { docs: "do/give-a-budget", about: "how to share a budget" },
  "/people": { docs: "organisation#people", about: "who may do what" },
  "/activity": { docs: "do/answer-an-auditor", about: "how to show who spent what" },
  "/audit": { docs: "do/answer-an-auditor#can-the-record-be-trusted", about: "how far the record can be trusted" },
  "/notifications": { docs: "organisation", about: "who may spend what" },
  "/settings": { docs: "operations#a-second-factor", about: "second factors" },
  "/search": { docs: "index", about: "the documentation" },
  "/public/$population": { docs: "learn/epsilon", about: "what ε means for one person" },
  "/explore": { docs: "learn/answers", about: "what an answer can reveal" },
};

export const exploreHelp = {
  plan: { docs: "planning", about: "how to choose statistics and shares" },
  "trade-offs": { docs: "learn/tradeoff-curves", about: "how to read a curve" },
  accountants: { docs: "accounting", about: "what each total assumes" },
  "privacy-at-risk": { docs: "learn/privacy-at-risk", about: "what the numbers say" },
  epsilon: { docs: "learn/epsilon", about: "what ε means for one person" },
} as const satisfies Readonly<Record<string, Help>>;

/** The last part of the address of a page of Explore. */
export type ExplorePath = keyof typeof exploreHelp;

const all = new Map<string, Help>([
  ...Object.entries(helpPages),
  ...Object.entries(exploreHelp).map(([path, help]): [string, Help] => [`/explore/${path}`, help]),
]);

/** A page that the router does not know is explained by the front page of the documentation. */
export const helpOf = (address: string): Help => all.get(address) ?? helpPages["/"];
