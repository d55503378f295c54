import type { RegisteredRouter } from "@tanstack/react-router";

/** Where the documentation explains a page: a page of `docs/`, with its heading where only a part is about it; and what is read out after “Help: ”. */
type Help = readonly [docs: string, about: string];

type Address = Exclude<keyof RegisteredRouter["routesByPath"], `/explore/${string}`>;

const front: Help = ["index", "the documentation"];

/** Every page by its address. A page without a row does not compile; nor does one of Explore, below. */
export const helpPages: Readonly<Record<Address, Help>> = {
  "/": front,
  "/sign-in": ["start/first-admin", "how to get in"],
  "/first-admin": ["start/first-admin", "how to get in the first time"],
  "/connect": ["agents#connect", "what a program gets that you let in"],
  "/join": ["organisation#people", "what an invitation does"],
  "/datasets": ["start/own-csv", "how to add a table of your own"],
  "/datasets/new": ["start/own-csv", "how to add a table of your own"],
  "/datasets/$dataset": ["budgets", "what a lifetime promises"],
  "/datasets/$dataset/open": ["do/choose-epsilon", "how to choose a lifetime"],
  "/datasets/$dataset/charge": ["do/every-tool", "how a program outside is charged"],
  "/charges/$charge": [
    "do/every-tool#show-what-ran-and-start-at-the-truth",
    "what shows that a program ran as declared",
  ],
  "/datasets/$dataset/switch": ["accounting#reports-and-filters", "how spending adds up"],
  "/datasets/$dataset/released": ["reuse", "what earlier answers give for nothing"],
  "/datasets/$dataset/plan": ["planning", "how to choose statistics and shares"],
  "/datasets/$dataset/reports": ["do/monthly-visits#a-report-that-comes-by-itself", "how a report comes by itself"],
  "/reports/$schedule": ["do/monthly-visits#a-new-month-arrives", "when the next report comes"],
  "/catalog": ["organisation#who-is-new-and-what-one-may-ask-for", "what one may ask for"],
  "/catalog/$dataset": ["organisation#who-is-new-and-what-one-may-ask-for", "what one may ask for"],
  "/releases": ["planning#review-release-report", "what happens to an answer"],
  "/releases/$release": ["planning#review-release-report", "how to read an answer"],
  "/dashboards": ["do/publish-an-answer#a-page-for-colleagues", "what colleagues see"],
  "/dashboards/$dashboard": ["do/publish-an-answer#a-page-for-colleagues", "what colleagues see"],
  "/requests": ["organisation#requests", "who decides"],
  "/requests/new": ["do/budget-spent", "what to do when a budget is spent"],
  "/teams": ["do/give-a-budget", "how to share a budget"],
  "/teams/$team": ["do/give-a-budget", "how to share a budget"],
  "/people": ["organisation#people", "who may do what"],
  "/activity": ["do/answer-an-auditor", "how to show who spent what"],
  "/audit": ["do/answer-an-auditor#can-the-record-be-trusted", "how far the record can be trusted"],
  "/notifications": ["organisation", "who may spend what"],
  "/settings": ["operations#a-second-factor", "second factors"],
  "/search": front,
  "/public/$population": ["learn/epsilon", "what ε means for one person"],
  "/explore": ["learn/answers", "what an answer can reveal"],
};

export const exploreHelp = {
  "why-noise": ["learn/noise", "what noise does"],
  "one-person": ["learn/answers", "what an answer can reveal"],
  plan: ["planning", "how to choose statistics and shares"],
  "trade-offs": ["learn/tradeoff-curves", "how to read a curve"],
  accountants: ["accounting", "what each total assumes"],
  "privacy-at-risk": ["learn/privacy-at-risk", "what the numbers say"],
  epsilon: ["learn/epsilon", "what ε means for one person"],
  certificate: ["do/answer-an-auditor#can-the-record-be-trusted", "how far the record can be trusted"],
} as const satisfies Readonly<Record<string, Help>>;

/** The last part of the address of a page of Explore. */
export type ExplorePath = keyof typeof exploreHelp;

const all: Readonly<Record<string, Help>> = helpPages;

/** A page that the router does not know is explained by the front page of the documentation. */
export const helpOf = (address: string): Help =>
  all[address] ?? (exploreHelp as typeof all)[address.slice("/explore/".length)] ?? front;
