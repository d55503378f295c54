import type { Client, Input, Output, RouteName } from "@dosimeter/client";
import type { Terminal } from "../terminal/terminal.ts";

/** What was given on the command line, by field: as it was written, and with names as ids. */
export type Given = Readonly<Record<string, unknown>>;

/** Where a command runs. */
export interface Scene {
  readonly client: Client;
  readonly terminal: Terminal;
  /** As it was written. */
  readonly raw: Given;
  /** What is done when the server refuses: the file that was brought for it goes away again. */
  readonly undo: (() => Promise<unknown>)[];
}

/** What a name on the command line means. */
export type Finder =
  | "dataset"
  | "listed"
  | "ledger"
  | "population"
  | "account"
  | "aside"
  | "person"
  | "people"
  | "team"
  | "amendment"
  | "version"
  | null;

/** How a route is a command. All that it does not say follows from the route. */
export interface Row<Name extends RouteName> {
  /** `person create`. Several routes may share one: what is given chooses between them. */
  readonly command: string;
  readonly summary?: string;
  /** Fields that stand without a flag, in order; the parameters of the path when absent. */
  readonly args?: readonly string[];
  /** Another name of a field's flag; null: it has none. */
  readonly flags?: Readonly<Record<string, string | null>>;
  /** The flag that chooses this route of its command. */
  readonly flag?: string;
  /** Flags that are no field, and what they say; `build` makes fields of them. */
  readonly more?: Readonly<Record<string, string>>;
  /** What a field means to who types it, where its schema speaks to programs. */
  readonly helps?: Readonly<Record<string, string>>;
  /** What a name means where the field's own name does not say it. */
  readonly finds?: Readonly<Record<string, Finder>>;
  readonly fixed?: Given;
  /** What counts where nothing is given. */
  readonly usual?: Readonly<Record<string, unknown>>;
  /** Variables of the environment that hold secret fields. */
  readonly env?: Readonly<Record<string, string>>;
  readonly build?: (given: Given, scene: Scene) => Promise<Partial<Input<Name>>>;
  /** Said before it is done; on a terminal it is asked first. */
  readonly asks?: string;
  readonly warns?: (given: Given, scene: Scene) => Promise<string | null>;
  /** What is shown: a path, or a heading and a path, `quota ε=quota.epsilon`. */
  readonly columns?: readonly string[];
  /** Lists inside the answer that are shown below, by path, with their columns. */
  readonly tables?: Readonly<Record<string, readonly string[]>>;
  /** In place of a table: the answer in words. */
  /** A list stands in the order of this path. */
  readonly sort?: string;
  readonly says?: (answer: Output<Name>, raw: Given) => string | null;
  readonly shows?: (terminal: Terminal, answer: Output<Name>) => void | Promise<void>;
  /** What to know or do next. */
  readonly after?: (answer: Output<Name>, raw: Given) => string | null;
  /** Whether the command ends with code 1. */
  readonly fails?: (answer: Output<Name>) => boolean;
}

/** A route that a command of its own calls, or that no command calls, and why. */
export type Elsewhere = { readonly by: string } | { readonly without: string };

export type Rows<Names extends RouteName = RouteName> = {
  readonly [Name in Names]: Row<Name> | readonly Row<Name>[] | Elsewhere;
};

/** A row whose route is not known to the compiler. */
export type AnyRow = Omit<Row<RouteName>, "build" | "says" | "shows" | "after" | "fails"> & {
  readonly route: RouteName;
  readonly build?: (given: Given, scene: Scene) => Promise<object>;
  readonly says?: (answer: never, raw: Given) => string | null;
  readonly shows?: (terminal: Terminal, answer: never) => void | Promise<void>;
  readonly after?: (answer: never, raw: Given) => string | null;
  readonly fails?: (answer: never) => boolean;
};

export const accountColumns = [
  ...["account=path", "holder=holder.kind", "quota.epsilon", "spent ε=balance.epsilon.spent"],
  ...["promised ε=promised", "free.epsilon", "used=balance.used", "status", "id"],
];

/** The same, of several datasets. */
export const accountsOfAll = ["of=datasetNames", ...accountColumns];
