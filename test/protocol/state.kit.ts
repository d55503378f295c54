/**
 * One copy of the ledger database. A lease names its owner, `?` in one that came back, which may be anyone; whether its time is over is left
 * open, as its owner may renew it at any moment until another server takes it.
 */
interface Database {
  readonly copy: number;
  readonly lines: string;
  readonly leases: Readonly<Record<string, string>>;
}

/** What a server or a witness keeps: of this copy, where nothing depends on how far it is, of the one before, or nothing any more. */
export type Kept = "here" | "before" | "gone";

export interface Server {
  readonly isUp: boolean;
  /** The copy that it has compared with its checkpoint. */
  readonly knows: number;
  /** Its `checkpoint.json`. */
  readonly kept: Kept;
  /** What it holds of a charge in its memory: nothing drawn yet (0), or the number of its draw. */
  readonly work: Readonly<Record<string, number>>;
}

export interface State {
  readonly database: Database;
  readonly servers: readonly Server[];
  /** All lines of the copy before: a checkpoint of it may be of any moment. */
  readonly before: string;
  /** What the signed witness of the first server keeps. */
  readonly witness: Kept;
  /** The draws that someone has seen. */
  readonly shown: readonly string[];
  readonly left: { readonly crashes: number; readonly copies: number; readonly folders: number };
}

export interface Bounds {
  readonly servers: number;
  /** The question of each key: two keys with one question may share an answer. */
  readonly keys: readonly string[];
  /** The names of all charges, those that a copy has forgotten too. */
  readonly charges: readonly string[];
  readonly lifetime: number;
  /** Whether the first server has a signed witness. */
  readonly hasWitness: boolean;
  readonly left: State["left"];
}

/** What the code does, and what the operators are trusted with; a test leaves one out and sees what goes wrong. */
export const rules = {
  chargesInside: "room is decided on the ledger in the transaction that charges",
  keysOnce: "a key is charged once",
  durable: "a commit survives the end of the database",
  storesFirst: "an answer is shown only after it is stored",
  keepsStored: "what is stored for a charge is returned, never replaced",
  ownsLease: "a server stores only what it has the lease of",
  takesOthers: "a server takes what others left, once their lease is over",
  comparesCopy: "a server that meets another copy of the database compares it",
  losesPending: "what is pending in a restored copy is never measured",
  vouchedStart: "a database that comes without its checkpoint is frozen",
  writesOff: "a restored ledger opens only with what is known to be missing",
  twoPeople: "without proof a second person gives the same amount",
  fencesCopy: "a server writes to another copy of the database only after it has compared it",
  witnessCurrent: "assumed: the witness knew every charge of an answer that was seen",
  secondIsRight: "assumed: the second person agrees only to all that is missing",
} as const;
type Rule = keyof typeof rules;
export type Rules = Readonly<Record<Rule, boolean>>;

export interface Action {
  /** The files and their functions that do it; none where the world does it. */
  readonly code: readonly (readonly [file: string, ...names: string[]])[];
  readonly next: (state: State, rules: Rules, bounds: Bounds) => Iterable<readonly [label: string, to: State]>;
}

export const without = <V>(all: Readonly<Record<string, V>>, name: string): Record<string, V> =>
  Object.fromEntries(Object.entries(all).filter(([one]) => one !== name));
/** With its names in order, as equal states must have equal texts. */
export const put = <V>(all: Readonly<Record<string, V>>, name: string, value: V): Record<string, V> =>
  Object.fromEntries(Object.entries({ ...all, [name]: value }).sort(([a], [b]) => (a < b ? -1 : 1)));

export const withServer = (state: State, index: number, change: Partial<Server>): State => ({
  ...state,
  servers: state.servers.map((server, at) => (at === index ? { ...server, ...change } : server)),
});
export const withWork = (state: State, index: number, work: Server["work"]): State =>
  withServer(state, index, { work });
export const append = (state: State, ...lines: readonly string[]): State => ({
  ...state,
  database: { ...state.database, lines: state.database.lines + lines.map((line) => `${line} `).join("") },
});
/** Opened with what is written off; the witness takes what is kept from then on. */
export const opened = (state: State, amount: number): State => ({ ...append(state, `W${amount}`), witness: "here" });
export const withLease = (state: State, charge: string, lease: string): State => ({
  ...state,
  database: { ...state.database, leases: put(state.database.leases, charge, lease) },
});
export const see = (state: State, draw: string): State =>
  state.shown.includes(draw) ? state : { ...state, shown: [...state.shown, draw].sort() };

/** The servers that may write: those that know this copy. */
export function* writing({ servers, database }: State, { fencesCopy }: Rules): Iterable<readonly [number, Server]> {
  for (const [index, server] of servers.entries())
    if (server.isUp && (!fencesCopy || server.knows === database.copy)) yield [index, server];
}

/** All texts in which a charge or a draw may still be named. */
export const everywhere = ({ database, before, servers, shown }: State): string =>
  [
    ...[database.lines, before, ...shown],
    ...servers.flatMap(({ work }) => Object.entries(work).map(([of, draw]) => `${of}${draw}`)),
  ].join(" ");

export const mayTake = ({ database }: State, index: number, charge: string, { takesOthers }: Rules): boolean =>
  takesOthers || [`${index}`, "?"].includes(database.leases[charge] ?? "");
