import type { Protocol, Step } from "./explore.kit.ts";
import { type Folded, folded, linesOf, pendingIn } from "./lines.kit.ts";

/** One copy of the ledger database; a lease is its owner, and `!` once its time is over. */
interface Database {
  readonly lines: string;
  readonly leases: Readonly<Record<string, string>>;
}

/** A checkpoint: the lines that the database had, and which copy it was. */
interface Kept {
  readonly lines: string;
  readonly copy: number;
}

interface Server {
  readonly isUp: boolean;
  /** The copy that it has compared with its checkpoint. */
  readonly knows: number;
  /** Its `checkpoint.json`; null where the folder was lost. */
  readonly kept: Kept | null;
  /** What it holds of a charge in its memory: nothing drawn yet (0), or the number of its draw. */
  readonly work: Readonly<Record<string, number>>;
}

export interface State {
  readonly database: Database & { readonly copy: number };
  /** A backup, or a standby that lags. */
  readonly older: Database | null;
  readonly servers: readonly Server[];
  /** What the signed witness of the first server keeps. */
  readonly witness: Kept | null;
  /** The draws that someone has seen. */
  readonly shown: readonly string[];
  readonly left: { readonly crashes: number; readonly copies: number; readonly folders: number };
}

export interface Bounds {
  readonly servers: number;
  /** The question of each key: two keys with one question may share an answer. */
  readonly keys: readonly string[];
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

const NAMES = "abcdef";
const MOST = 3;

const without = <V>(all: Readonly<Record<string, V>>, name: string): Record<string, V> =>
  Object.fromEntries(Object.entries(all).filter(([one]) => one !== name));
/** With its names in order, as equal states must have equal texts. */
const put = <V>(all: Readonly<Record<string, V>>, name: string, value: V): Record<string, V> =>
  Object.fromEntries(Object.entries({ ...all, [name]: value }).sort(([a], [b]) => (a < b ? -1 : 1)));

const withServer = (state: State, index: number, change: Partial<Server>): State => ({
  ...state,
  servers: state.servers.map((server, at) => (at === index ? { ...server, ...change } : server)),
});
const withWork = (state: State, index: number, work: Server["work"]): State => withServer(state, index, { work });
const append = (state: State, ...lines: readonly string[]): State => ({
  ...state,
  database: { ...state.database, lines: state.database.lines + lines.map((line) => `${line} `).join("") },
});
const withLease = (state: State, charge: string, lease: string): State => ({
  ...state,
  database: { ...state.database, leases: put(state.database.leases, charge, lease) },
});
const show = (state: State, draw: string): State =>
  state.shown.includes(draw) ? state : { ...state, shown: [...state.shown, draw].sort() };

/** The servers that may write: those that know this copy. */
function* writing({ servers, database }: State, { fencesCopy }: Rules): Iterable<readonly [number, Server]> {
  for (const [index, server] of servers.entries())
    if (server.isUp && (!fencesCopy || server.knows === database.copy)) yield [index, server];
}

/** All texts in which a charge or a draw may still be named. */
const everywhere = ({ database, older, servers, witness, shown }: State): string =>
  [
    database.lines,
    older?.lines,
    witness?.lines,
    ...shown,
    ...servers.flatMap(({ kept, work }) => [kept?.lines, ...Object.entries(work).map(([of, draw]) => `${of}${draw}`)]),
  ].join(" ");

const isOver = (lease: string | undefined): boolean => lease?.endsWith("!") === true;
const ownerOf = (lease: string | undefined): string => lease?.[0] ?? "";

const mayTake = (state: State, index: number, charge: string, { takesOthers }: Rules): boolean => {
  const lease = state.database.leases[charge];
  return ownerOf(lease) === `${index}` || (isOver(lease) && takesOthers);
};

/** Freezes what does not go on from the checkpoint, and gives up what is pending in it. */
function compared(state: State, kept: Kept | null, { losesPending, writesOff }: Rules): State {
  const { lines, copy } = state.database;
  const now = folded(lines);
  const isSame = kept !== null && (kept.copy === copy || now.noticed.has(`${copy}`));
  if (isSame && lines.startsWith(kept.lines)) return state;
  const then = kept === null ? null : folded(kept.lines);
  const missing = then === null ? 0 : Math.max(0, then.spent + then.missing - now.spent);
  const lost = losesPending ? pendingIn(now).map((charge) => `L${charge}`) : [];
  return append(state, ...lost, ...(writesOff ? [`F${missing}`] : []), ...(kept === null ? [] : [`N${copy}`]));
}

/** The checkpoint as it is now, kept, and by the witness where that takes it. */
function* kept(state: State, index: number, { hasWitness }: Bounds): Iterable<readonly [string, State]> {
  const { lines, copy } = state.database;
  const now = withServer(state, index, { kept: { lines, copy }, knows: copy });
  const { witness } = state;
  const told = folded(witness?.lines ?? "");
  const isTaken =
    linesOf(lines).length > linesOf(witness?.lines ?? "").length && folded(lines).spent >= told.spent + told.missing;
  yield ["", now];
  if (index === 0 && hasWitness && folded(lines).isOpen && isTaken) yield [" and the witness", { ...now, witness: { lines, copy } }];
}

/** Draws of charges that this database does not count. */
const uncounted = (shown: readonly string[], { charges }: Folded): number =>
  shown.filter(([charge = ""]) => !charges.has(charge)).length;

const needed = ({ shown, database }: State): number => {
  const now = folded(database.lines);
  return Math.max(now.missing, uncounted(shown, now) - now.writtenOff);
};

const WRITER = "packages/ledger/src/charges/writer.ts";
const LEASE = "packages/ledger/src/release/lease.ts";
const QUEUE = "packages/server/src/release/queue.ts";
const CHECKPOINT = "packages/server/src/instance/checkpoint.ts";
const COMPARE = "packages/ledger/src/verify/checkpoint.ts";
const GAP = "packages/ledger/src/restore/restore-gap.ts";

export const actions = {
  charge: {
    code: [
      ["packages/server/src/release/charge.ts", "chargeRequest", "recordCharge"],
      [WRITER, "groupWriter", "writeCharges"],
      ["packages/ledger/src/release/claim.ts", "claimedBy"],
    ],
    *next(state, { chargesInside, keysOnce, ...others }, { keys, lifetime }) {
      const now = folded(state.database.lines);
      const used = everywhere(state);
      const id = [...NAMES].slice(0, MOST).find((name) => !used.includes(name));
      if (!now.isOpen || id === undefined) return;
      for (const [index, { kept, work }] of writing(state, { chargesInside, keysOnce, ...others })) {
        const seen = chargesInside ? now : folded(kept?.lines ?? "");
        if (seen.spent + 1 > lifetime) continue;
        for (const [key, question] of keys.entries()) {
          if (keysOnce && [...now.charges.values()].includes(`${key}`)) continue;
          const isClaimed = pendingIn(now).some(
            (one) => keys[Number(now.charges.get(one))] === question && !isOver(state.database.leases[one]),
          );
          if (isClaimed) continue;
          const charged = withLease(append(state, `C${id}${key}`), id, `${index}`);
          yield [`server ${index} charges key ${key} as ${id}`, withWork(charged, index, put(work, id, 0))];
        }
      }
    },
  },
  reuse: {
    code: [
      ["packages/server/src/release/earlier.ts", "answersFrom"],
      [WRITER, "writeCharges"],
    ],
    *next(state, all, { keys }) {
      const now = folded(state.database.lines);
      const used = everywhere(state);
      const id = [...NAMES].slice(0, MOST).find((name) => !used.includes(name));
      if (!now.isOpen || id === undefined) return;
      for (const [index] of writing(state, all))
        for (const [key, question] of keys.entries())
          for (const [charge, draw] of now.released)
            if (![...now.charges.values()].includes(`${key}`) && keys[Number(now.charges.get(charge))] === question)
              yield [
                `server ${index} answers key ${key} as ${id} with ${draw}`,
                append(state, `U${id}${key}`, `R${id}${draw}`),
              ];
    },
  },
  measure: {
    code: [["packages/server/src/release/release.ts", "finishCharge", "draw"]],
    *next(state, { storesFirst }) {
      const used = everywhere(state);
      for (const [index, { isUp, work }] of state.servers.entries())
        for (const [charge, drawn] of Object.entries(work)) {
          if (!isUp || drawn !== 0) continue;
          let number = 1;
          while (used.includes(`${charge}${number}`)) number += 1;
          const measured = withWork(state, index, put(work, charge, number));
          yield [
            `server ${index} measures ${charge}${number}`,
            storesFirst ? measured : show(measured, `${charge}${number}`),
          ];
        }
    },
  },
  store: {
    code: [
      ["packages/server/src/release/release.ts", "storeRelease"],
      ["packages/ledger/src/charges/complete.ts", "completer"],
    ],
    *next(state, all) {
      const now = folded(state.database.lines);
      for (const [index, { work }] of writing(state, all))
        for (const [charge, number] of Object.entries(work)) {
          if (number === 0) continue;
          const done = withWork(state, index, without(work, charge));
          const isFirst = !now.released.has(charge) || !all.keepsStored;
          const isOwner = !now.lost.has(charge) && ownerOf(state.database.leases[charge]) === `${index}`;
          const isStored = now.charges.has(charge) && isFirst && (isOwner || !all.ownsLease);
          yield [
            `server ${index} ${isStored ? "stores" : "drops"} ${charge}${number}`,
            isStored ? append(done, `R${charge}${charge}${number}`) : done,
          ];
        }
    },
  },
  show: {
    code: [
      ["packages/server/src/handlers/releases.ts", "show"],
      ["packages/server/src/release/waiting.ts", "finished"],
    ],
    *next(state) {
      if (!state.servers.some(({ isUp }) => isUp)) return;
      for (const draw of folded(state.database.lines).released.values())
        if (!state.shown.includes(draw)) yield [`someone sees ${draw}`, show(state, draw)];
    },
  },
  leaseEnds: {
    code: [["packages/ledger/src/release/charge.ts", "leaseUntil"]],
    *next(state) {
      for (const charge of pendingIn(folded(state.database.lines))) {
        const lease = state.database.leases[charge] ?? "";
        if (!isOver(lease)) yield [`the lease of ${charge} ends`, withLease(state, charge, `${lease}!`)];
      }
    },
  },
  take: {
    code: [
      [QUEUE, "recover", "submit"],
      [LEASE, "claim"],
    ],
    *next(state, all) {
      const now = folded(state.database.lines);
      for (const [index, { work }] of writing(state, all))
        for (const charge of pendingIn(now))
          if (work[charge] === undefined && mayTake(state, index, charge, all))
            yield [
              `server ${index} takes ${charge}`,
              withWork(withLease(state, charge, `${index}`), index, put(work, charge, 0)),
            ];
    },
  },
  keep: {
    code: [
      [CHECKPOINT, "keep", "compare"],
      [COMPARE, "compareCheckpoint", "missingFrom", "freezeUnvouched"],
      [LEASE, "giveUp"],
      ["packages/server/src/witness/server.ts", "mustNotGoBack", "forgets"],
    ],
    *next(state, all, bounds) {
      const { copies, folders } = state.left;
      for (const [index, { isUp, knows, kept: before }] of state.servers.entries()) {
        // Where no copy can take over any more, what is kept of this one is not read again.
        if (!isUp || (copies + folders === 0 && knows === state.database.copy)) continue;
        const now = all.comparesCopy ? compared(state, before, all) : state;
        for (const [witness, to] of kept(now, index, bounds)) yield [`server ${index} keeps its checkpoint${witness}`, to];
      }
    },
  },
  start: {
    code: [
      [CHECKPOINT, "openCheckpoint", "newestOf", "isSameCopy", "isVouched"],
      ["packages/ledger/src/stores/postgres/postgres.ts", "vouch"],
    ],
    *next(state, all, bounds) {
      const { servers, witness, database } = state;
      const isVouched = servers.some(({ isUp, knows }) => isUp && knows === database.copy);
      for (const [index, { isUp, kept: own }] of servers.entries()) {
        if (isUp) continue;
        const there = index === 0 ? witness : null;
        const goesOn = (one: Kept | null) => one === null || database.lines.startsWith(one.lines);
        if (own !== null && goesOn(own) && !goesOn(there)) continue; // the whole folder is older than its witness
        const newest =
          there === null || (own !== null && linesOf(own.lines).length >= linesOf(there.lines).length) ? own : there;
        const isTrusted = newest === null && (isVouched || !all.vouchedStart);
        const now = isTrusted || !all.comparesCopy ? state : compared(state, newest, all);
        const up = withServer(now, index, { isUp: true, knows: database.copy });
        for (const [to, after] of kept(up, index, bounds)) yield [`server ${index} starts${to}`, after];
      }
    },
  },
  openByWitness: {
    code: [
      [COMPARE, "provenBy", "nameWitness"],
      [GAP, "reopenLedgerIn", "refuseLess", "opened"],
      ["packages/ledger/src/verify/reopen.ts", "reopenLedger"],
    ],
    *next(state, all, { lifetime }) {
      const { witness, database, shown } = state;
      const now = folded(database.lines);
      const [server] = writing(state, all);
      if (now.isOpen || witness === null || server?.[0] !== 0) return;
      const then = folded(witness.lines);
      if (all.witnessCurrent && uncounted(shown, then) > then.writtenOff) return;
      const hasNewest = database.lines.startsWith(witness.lines);
      if (hasNewest && linesOf(witness.lines).length >= unprovenSince(database.lines)) return;
      const least = Math.max(now.missing, then.spent + then.missing - now.spent);
      if (now.spent + least <= lifetime)
        yield [`one person writes off ${least}, by the witness`, append(state, `W${least}`)];
    },
  },
  openByTwo: {
    code: [
      [GAP, "reopenLedgerIn", "accepted", "askingOf"],
      ["packages/ledger/src/guarantee/asks.ts", "otherAsker"],
    ],
    *next(state, all, { lifetime }) {
      const now = folded(state.database.lines);
      const [server] = writing(state, all);
      if (now.isOpen || server === undefined) return;
      const whole = needed(state);
      // The first person wants as little as the program takes; the second one may ask too.
      for (const [person, amounts] of [
        ["1", [now.missing, whole]],
        ["2", all.secondIsRight ? [whole] : [now.missing, whole]],
      ] as const)
        for (const amount of new Set(amounts)) {
          if (now.spent + amount > lifetime) continue;
          const isSeconded = now.asks.some((ask) => ask[0] !== person && ask.slice(1) === `${amount}`);
          if (isSeconded || !all.twoPeople)
            yield [`person ${person} writes off ${amount}`, append(state, `W${amount}`)];
          else if (!now.asks.includes(`${person}${amount}`))
            yield [`person ${person} asks to write off ${amount}`, append(state, `A${person}${amount}`)];
        }
    },
  },
  serverEnds: {
    code: [],
    *next(state) {
      if (state.left.crashes === 0) return;
      const left = { ...state.left, crashes: state.left.crashes - 1 };
      for (const [index, { isUp }] of state.servers.entries())
        if (isUp)
          yield [`server ${index} is killed`, withServer({ ...state, left }, index, { isUp: false, knows: -1, work: {} })];
    },
  },
  databaseEnds: {
    code: [],
    *next(state, { durable }) {
      const lines = linesOf(state.database.lines);
      if (durable || lines.length === 0) return; // it comes back with all that was committed
      const rest = lines.slice(0, -1).map((line) => `${line} `);
      yield ["the database ends and forgets a line", { ...state, database: { ...state.database, lines: rest.join("") } }];
    },
  },
  copy: {
    code: [["packages/server/src/backup/backup.ts", "copyLedger"]],
    *next(state) {
      const { lines, leases } = state.database;
      // Once: of several only the last could take over.
      if (state.left.copies > 0 && state.older === null)
        yield ["a backup is made, or a standby has all", { ...state, older: { lines, leases } }];
    },
  },
  replace: {
    code: [["packages/server/src/backup/restore.ts", "restoreBackup"]],
    *next(state) {
      const { older, left, database } = state;
      if (older === null || left.copies === 0) return;
      yield [
        REPLACED,
        {
          ...state,
          older: null,
          database: { ...older, copy: database.copy + 1 },
          left: { ...left, copies: left.copies - 1 },
        },
      ];
    },
  },
  folderEnds: {
    code: [],
    *next(state) {
      const { left, servers } = state;
      if (left.folders === 0) return;
      for (const [index, { isUp, kept: own }] of servers.entries())
        if (!isUp && own !== null)
          yield [
            `the folder of server ${index} is gone`,
            withServer({ ...state, left: { ...left, folders: left.folders - 1 } }, index, { kept: null }),
          ];
    },
  },
} as const satisfies Readonly<Record<string, Action>>;

const REPLACED = "the older database takes over";

/** How many lines there were when it was frozen last. */
const unprovenSince = (text: string): number => linesOf(text).findLastIndex((line) => line.startsWith("F")) + 1;

/** What is wrong with a step; null where nothing is. */
export function wrongIn(from: State, { label, to }: Step<State>, all: Rules, { lifetime }: Bounds): string | null {
  const now = folded(to.database.lines);
  const { shown } = to;
  if (shown.some((draw) => shown.some((other) => other !== draw && other[0] === draw[0]))) return "answered twice";
  const keys = [...now.charges.values()];
  if (new Set(keys).size < keys.length) return "charged twice";
  if (now.spent > lifetime || shown.length > lifetime) return "over the lifetime";
  const before = folded(from.database.lines);
  const isForgotten = (charge: string, draw: string) => shown.includes(draw) && now.released.get(charge) !== draw;
  if (label !== REPLACED && [...before.released].some(([charge, draw]) => isForgotten(charge, draw))) return "lost";
  const isServed = to.servers.some(({ isUp, knows }) => isUp && knows === to.database.copy);
  if (!isServed) return null;
  if (now.isOpen && uncounted(shown, now) > now.writtenOff) return "uncounted";
  const isStuck = (charge: string): boolean =>
    isOver(to.database.leases[charge]) &&
    !to.servers.some(
      ({ isUp, work }, index) => isUp && (work[charge] !== undefined || mayTake(to, index, charge, all)),
    );
  return pendingIn(now).some(isStuck) ? "never answered" : null;
}

export function protocol(bounds: Bounds, all: Rules): Protocol<State> {
  const server: Server = { isUp: true, knows: 0, kept: { lines: "", copy: 0 }, work: {} };
  return {
    initial: {
      database: { lines: "", leases: {}, copy: 0 },
      older: null,
      servers: Array.from({ length: bounds.servers }, () => server),
      witness: null,
      shown: [],
      left: bounds.left,
    },
    *next(state) {
      for (const { next } of Object.values(actions) as readonly Action[])
        for (const [label, to] of next(state, all, bounds)) yield { label, to };
    },
    wrong: (from, step) => wrongIn(from, step, all, bounds),
  };
}
