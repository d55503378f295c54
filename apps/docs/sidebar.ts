/** The order of the book. A page of `docs/` that no group names fails `test/docs.test.ts`. */
export const sidebar: readonly { readonly label: string; readonly pages: readonly string[] }[] = [
  { label: "Start", pages: ["index", "start/own-csv", "start/first-admin", "guide", "first-walk"] },
  {
    label: "Learn",
    pages: [
      "learn/answers",
      "learn/epsilon",
      "learn/noise",
      "learn/composition",
      "learn/quota",
      "learn/tradeoff-curves",
      "learn/privacy-at-risk",
      "learn/synthetic-tables",
      "learn/blocks",
    ],
  },
  {
    label: "Do",
    pages: [
      "do/income-by-region",
      "do/survey",
      "do/hospital-visits",
      "do/give-a-budget",
      "do/budget-spent",
      "do/choose-epsilon",
      "do/answer-an-auditor",
      "planning",
      "derived-columns",
      "joins",
      "synthetic-tables",
      "reuse",
      "agents",
      "operations",
    ],
  },
  {
    label: "Reference",
    pages: ["statistics", "declaration", "budgets", "sql", "api", "python", "r", "settings", "errors", "tradeoff", "accounting", "privacy-at-risk"],
  },
  { label: "Trust", pages: ["trust/stolen-server", "threat-model", "math", "comparison", "organisation"] },
  { label: "Inside", pages: ["inside/add-a-statistic", "decisions"] },
];
