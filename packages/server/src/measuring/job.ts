import type { ErrorCode, ErrorDetails } from "@dosimeter/core";
import type { EngineOptions } from "@dosimeter/engines";
import type { Answer } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type {
  Appended,
  Appending,
  CheckedTable,
  Fit,
  JoinedVersion,
  Listing,
  Problems,
  SourceColumn,
} from "@dosimeter/query/plan";
import type { Source } from "@dosimeter/query/source";
import type { Plan } from "@dosimeter/query/statistics";
import type { Calibrated } from "./calibrate.ts";

/** What the measuring process can do: for each name what it is given and what it gives back. */
export interface Jobs {
  /** Why each connection cannot be used, null where it can. */
  readonly probe: { readonly given: null; readonly result: Problems };
  readonly describe: { readonly given: { readonly source: Source }; readonly result: readonly SourceColumn[] };
  /** The schemas of the connection of a source, and the tables in its schema. */
  readonly list: { readonly given: { readonly source: Source }; readonly result: Listing };
  readonly check: {
    /** `isNew`: the salt is, so that no version before it has the same name. */
    readonly given: { readonly declaration: Declaration; readonly salt: string; readonly isNew: boolean };
    readonly result: CheckedTable;
  };
  /** How the rows of an upload fit a declaration: for the one who sent it alone. [M340] */
  readonly fit: {
    readonly given: { readonly declaration: Declaration; readonly fewerThan: number };
    readonly result: Fit;
  };
  /** Writes a file with the rows of a declared one and those of another that lie in some blocks. */
  readonly append: {
    readonly given: { readonly declaration: Declaration } & Omit<Appending, "signal">;
    readonly result: Appended;
  };
  /** Refuses a plan that the database of its table would not read. */
  readonly checkSize: {
    readonly given: { readonly plan: Plan; readonly declaration: Declaration };
    readonly result: null;
  };
  /** How long what takes on public rows, of which a process that has just begun reads a few to warm up. */
  readonly calibrate: { readonly given: { readonly isWhole: boolean }; readonly result: Calibrated };
  /** Measures and adds noise: exact integers never leave the process. */
  readonly answer: {
    readonly given: {
      readonly plan: Plan;
      readonly declaration: Declaration;
      readonly table: JoinedVersion;
      /** Of running totals that go on, the integers that were released before. */
      readonly earlier?: readonly (readonly string[])[];
    };
    readonly result: readonly Answer[];
  };
}
export type JobName = keyof Jobs;

export type Job = { [Name in JobName]: { readonly name: Name; readonly given: Jobs[Name]["given"] } }[JobName];

/** What the server tells the process. The first message opens its engines. */
export type Said =
  | { readonly kind: "open"; readonly options: EngineOptions }
  | { readonly kind: "use"; readonly connections: NonNullable<EngineOptions["connections"]> }
  | { readonly kind: "job"; readonly id: number; readonly job: Job }
  | { readonly kind: "stop"; readonly id: number };

/** An error as it crosses; null where its words may quote a row. */
export type Refusal = {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly message: string;
} | null;

export type Ended =
  | { readonly id: number; readonly result: Jobs[JobName]["result"] }
  | { readonly id: number; readonly refusal: Refusal };
