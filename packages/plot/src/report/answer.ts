import type { Calendar } from "@dosimeter/core";
import type { JoinedTable } from "./citation.ts";

/** What reports and charts need of a released answer: that of the wire with how its statistic `shows`, by `withKind` of @dosimeter/query. */
export interface ReportedAnswer {
  readonly shows: {
    readonly chart: "number" | "bars" | "curve" | "series" | "slopes" | "ends" | "ranking";
    readonly value: "rows" | "people" | "values" | "column" | "change" | "place" | "named";
    readonly bin?: string;
    readonly measures?: "place" | "length" | "total";
    readonly rows?: "beyond" | "quartiles";
  };
  /** What units, columns and values are called; absent: as they are named. */
  readonly words?: {
    readonly noun: { readonly one: string; readonly many: string };
    readonly protects?: "person" | undefined;
    readonly columns: Readonly<
      Record<
        string,
        {
          readonly label?: string | undefined;
          readonly unit?: string | undefined;
          /** Its values are dates, counted in these periods from 1970 on. */
          readonly calendar?: Calendar | undefined;
          readonly valueLabels?: Readonly<Record<string, string>> | undefined;
        }
      >
    >;
  };
  /** Whose rows it is about, and of when; absent: its reader knows. */
  readonly about?: { readonly dataset: string; readonly when: string } | undefined;
  readonly id: string;
  readonly statistic: string;
  readonly label: string;
  readonly column: string | null;
  readonly groupBy: readonly string[];
  readonly cost: ({ readonly epsilon: string } | { readonly rho: string }) & { readonly delta?: string | undefined };
  readonly confidence: number;
  readonly noise: { readonly kind: "laplace" | "gaussian" | "selection" };
  readonly cells: readonly ReportedCell[];
  /** A synthetic table: what was released of it, from which rows are made up. */
  readonly table?: unknown;
  /** Rows that a whole curve is off by at most. */
  readonly simultaneous?: number | undefined;
  readonly notes: readonly string[];
  /** The fresh draw alone, where it was averaged with earlier ones. */
  readonly raw?: readonly ReportedCell[] | undefined;
}

export interface ReportedCell {
  readonly group: Readonly<Record<string, unknown>>;
  readonly bin?:
    | { readonly label: string; readonly lower?: unknown; readonly upper?: number; readonly value?: unknown }
    | undefined;
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly rank?: number | undefined;
  readonly rows?: { readonly value: number; readonly interval: readonly [number, number] } | undefined;
  readonly standardError?: number | undefined;
  readonly unreliable?: true | undefined;
  /** Made to agree with the other answers of its release; the raw one stays next to it. */
  readonly consistent?: { readonly value: number; readonly interval: readonly [number, number] } | undefined;
}

/** A release as people read it: its answers and what vouches for them. */
export interface ReportedRelease {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly datasetName: string;
  readonly version: number;
  readonly joined?: JoinedTable | null | undefined;
  readonly byName: string;
  readonly byKind?: "user" | "service" | "agent";
  readonly chargedAt: string;
  readonly releasedAt: string | null;
  readonly words?: ReportedAnswer["words"];
  readonly plan: object;
  readonly answers: readonly ReportedAnswer[] | null;
  readonly receipt: {
    readonly entry: number;
    readonly entryHash: string;
    readonly answersHash: string;
    readonly epsilon: string | null;
    readonly delta: string;
    readonly guarantee: string;
    readonly guaranteeVersion: number;
    readonly at: string;
  } | null;
}
