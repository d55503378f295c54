import type { Calendar, CalendarUnit, EventAdjacency, Rational } from "@dosimeter/core";
import type { Source } from "../source/kinds.ts";
import type { Code } from "./code.ts";
import type { Formula } from "./formula.ts";
import type { Join } from "./join-type.ts";
import type { Key } from "./key.ts";

/** The source of a bound or a list of categories. It is never the data itself, unless a release paid for it. */
export type Provenance = "public" | "asserted" | "dp-estimated";
export type ColumnType = "integer" | "number" | "date" | "boolean" | "category" | "text";
/** The column that another one lies within, and which of that one's categories each of its own holds. */
export interface Within {
  readonly column: string;
  readonly of: Readonly<Record<string, readonly Key[]>>;
}

export interface Column {
  readonly type: ColumnType;
  /**
   * Values below are raised to `lower`, values above are cut to `upper`, before anything is counted or summed. Of a date:
   * periods from 1970 on, which JSON writes as texts.
   */
  readonly lower?: number;
  readonly upper?: number;
  /** The step values are rounded to before they are summed; both bounds are multiples of it. */
  readonly granularity?: number;
  /** Of a number column: digits behind the point, all of which count exactly. JSON calls such a column a decimal. */
  readonly scale?: number;
  /** The periods in which a date column is counted; JSON writes them as its granularity. */
  readonly calendar?: Calendar;
  /** Of a date column that stores instants: the zone whose clocks decide its days. JSON calls such a column a timestamp. */
  readonly zone?: string;
  /** How stored texts write dates, and the first year that two digits may mean. */
  readonly pattern?: string;
  readonly pivot?: number;
  /** What stands for a missing value: -9, 9999-12-31, unknown. */
  readonly missing?: readonly string[];
  /** Every value a category column may take, all texts or all numbers. Other values are in no group. */
  readonly categories?: readonly (string | number)[];
  /** Other ways in which the table writes its categories, each of which counts as that one: `{"M": ["m", "male"]}`. */
  readonly spellings?: Readonly<Record<string, readonly string[]>>;
  /** Most different values of an integer or a text, checked at registration; as many as rows when absent. */
  readonly mostValues?: number;
  /** A row without this value, of a category without one of those declared, is left out of every statistic [M330]. */
  readonly required?: boolean;
  /** Each of its categories lies in one of a coarser column: a county in a state [M420]. */
  readonly within?: Within;
  readonly label?: string;
  /** Of its numbers: years, dollars. */
  readonly unit?: string;
  readonly description?: string;
  /** What its values are called, by the value as text: `{"0": "female"}`. */
  readonly valueLabels?: Readonly<Record<string, string>>;
  readonly provenance: Provenance;
  /** Of a dp-estimated column: the id of the release that paid for its bounds or categories. */
  readonly release?: string;
  /** Of a column that a plan derives from others: never part of a declaration from outside. */
  readonly derived?: Derived;
  /** Of a column that a plan takes of another table: that table's name. Never part of a declaration from outside. */
  readonly joined?: string;
}

/** What a derived column is made of: read by SQL and by the reference evaluation, never from a declaration. */
export interface Derived {
  readonly formula: Formula;
  readonly text: string;
  readonly code: Code;
  /** A number is its whole number of steps times this. */
  readonly step: Rational | null;
}

/** How much one privacy unit may contribute; enforced in SQL. `rows` is C, `groups` L0 and `rowsPerGroup` L∞. */
export interface ContributionBound {
  readonly rows?: number;
  readonly groups?: number;
  readonly rowsPerGroup?: number;
}

/** What one protected unit is called, and what several are: patient and patients. */
export interface UnitNoun {
  readonly one: string;
  readonly many: string;
}

/**
 * Periods of a date column, each with a budget of its own: one protected unit is then all rows of one person in one period [M160] or, by cohort,
 * all rows of one person, whose block is the period of their least date [M170].
 */
export interface DeclaredBlocks {
  /** Blocks are cohorts; absent: they are periods. */
  readonly protects?: "person";
  readonly column: string;
  readonly every: CalendarUnit;
  /** By whose clocks a period ends; of a timestamp its own, and absent here. */
  readonly zone?: string;
  /** Whole days after the end of a period before it is closed. */
  readonly lag?: number;
  /** Its admin closes periods, in a version that says so; by the calendar and `lag` when absent. */
  readonly closes?: "by hand";
  /** The last period that was closed by hand; none when absent. */
  readonly closed?: string;
}

/** A table that a plan may join: a dataset of the same people at one version. */
export interface Joinable {
  readonly version: number;
  readonly declaration: Declaration;
}

/** The table that a plan joins, and what it takes of it. */
export interface Joined extends Join {
  readonly declaration: Declaration;
}

/** The owner's public statement about a table, on which plans are based. */
export interface Declaration {
  readonly name: string;
  readonly source: Source;
  readonly privacyUnit: "row" | { readonly column: string };
  /** Person and people when absent. */
  readonly unitNoun?: UnitNoun;
  readonly adjacency: EventAdjacency;
  /** Of one unit; with blocks that are periods, of one unit in one of them. */
  readonly contribution: ContributionBound;
  readonly blocks?: DeclaredBlocks;
  /** Rows. `public` is an invariant and needs adjacency "replace"; `assumed` is only for quotes; never read from the data. */
  readonly size?: { readonly assumed: number } | { readonly public: number };
  /** Most rows, checked at registration: departures and memory follow from it; see `mostRowsOf` for when it is absent. */
  readonly mostRows?: number;
  /** What no row can be: facts about two columns each, joined by or, that are known without the table [M421]. */
  readonly impossible?: string;
  readonly columns: Readonly<Record<string, Column>>;
  /** Tables about the same people that a plan may join, by dataset. Never part of a declaration from outside. */
  readonly joinable?: Readonly<Record<string, Joinable>>;
  /** The one that this plan joins: its columns are among `columns`. */
  readonly joined?: Joined;
}
