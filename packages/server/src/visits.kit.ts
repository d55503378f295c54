/** 24 months, by their names. */
export const months = Array.from(
  { length: 24 },
  (_, at) => `${2022 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
);

/** Visits of people, at most two of each in a month, with a budget for each month. */
export const declaredVisits = ({
  lower = "2022-01-01",
  upper = "2023-12-31",
  blocks = {},
  columns = {},
}: {
  readonly lower?: string;
  readonly upper?: string | undefined;
  readonly blocks?: object | undefined;
  readonly columns?: object;
} = {}) =>
  ({
    name: "visits",
    source: { csv: "visits.csv" },
    privacyUnit: { column: "who" },
    adjacency: "addRemove",
    contribution: { rows: 2 },
    blocks: { column: "seen", every: "month", zone: "Europe/Berlin", ...blocks },
    columns: {
      who: { type: "text", provenance: "public" },
      seen: { type: "date", lower, upper, provenance: "public" },
      ...columns,
    },
  }) as const;
