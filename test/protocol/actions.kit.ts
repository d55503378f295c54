import { type Folded, folded, linesOf, pendingIn } from "./lines.kit.ts";
import {
  type Action,
  append,
  everywhere,
  type Kept,
  mayTake,
  opened,
  put,
  type Rules,
  type State,
  see,
  withLease,
  without,
  withServer,
  withWork,
  writing,
} from "./state.kit.ts";

export const REPLACED = "the older database takes over";

/** What is missing at least, by a checkpoint of this moment. */
const missingBy = (moment: string, now: Folded): number => {
  const then = folded(moment);
  return Math.max(0, then.spent + then.missing - now.spent);
};

/** Freezes what does not go on from the checkpoint, whatever its moment is, and gives up what is pending in it. */
function* compared(state: State, kept: Kept, { losesPending, writesOff, comparesCopy }: Rules): Iterable<State> {
  const { database, before } = state;
  const now = folded(database.lines);
  const lost = losesPending ? pendingIn(now).map((charge) => `L${charge}`) : [];
  const frozen = (missing: number, ...more: readonly string[]) =>
    append(state, ...lost, ...(writesOff ? [`F${missing}`] : []), ...more);
  if (kept === "here" || !comparesCopy) yield state;
  else if (kept === "gone") yield frozen(0);
  else
    for (const moment of unlike(momentsOf(before), database.lines))
      yield now.noticed.has(`${database.copy}`) &&
      (database.lines.startsWith(moment) || isWrittenOff(moment, database.lines))
        ? state
        : frozen(missingBy(moment, now), `N${database.copy}`);
}

/** Whether all that was known at this moment was counted when it was opened after its first freeze. */
function isWrittenOff(moment: string, text: string): boolean {
  const lines = linesOf(text);
  const frozen = lines.findIndex((line) => line.startsWith("F"));
  const opened = lines.findIndex((line, at) => frozen >= 0 && at > frozen && line.startsWith("W"));
  const counted = (lines: readonly string[]) => folded(lines.map((line) => `${line} `).join(""));
  return opened >= 0 && missingBy(moment, counted(lines.slice(0, opened + 1))) === 0;
}

/** The database at every moment, from the first one on. */
function momentsOf(text: string): readonly string[] {
  const lines = linesOf(text).map((line) => `${line} `);
  return Array.from({ length: lines.length + 1 }, (_, length) => lines.slice(0, length).join(""));
}

/** Of these moments one for each sum, with and without what is here now: nothing else of a checkpoint is read. */
const unlike = (moments: readonly string[], lines: string): readonly string[] => [
  ...new Map(moments.map((one) => [`${folded(one).spent} ${lines.startsWith(one)}`, one])).values(),
];

/** Draws of charges that this database does not count. */
export const uncounted = (shown: readonly string[], { charges }: Folded): number =>
  shown.filter(([charge = ""]) => !charges.has(charge)).length;

const needed = ({ shown, database }: State): number => {
  const now = folded(database.lines);
  return Math.max(now.missing, uncounted(shown, now) - now.writtenOff);
};

/** What the servers that may write have drawn. */
function* drawnIn(state: State, all: Rules): Iterable<readonly [index: number, charge: string, draw: string]> {
  for (const [index, { work }] of writing(state, all))
    for (const [charge, number] of Object.entries(work)) if (number > 0) yield [index, charge, `${charge}${number}`];
}

/** Whether the database takes a draw of this server. */
function isStored({ database }: State, index: number, charge: string, { keepsStored, ownsLease }: Rules): boolean {
  const now = folded(database.lines);
  const isOwner = !now.lost.has(charge) && [`${index}`, "?"].includes(database.leases[charge] ?? "");
  return now.charges.has(charge) && (!now.released.has(charge) || !keepsStored) && (isOwner || !ownsLease);
}

const withoutWork = (state: State, index: number, charge: string): State =>
  withWork(state, index, without(state.servers[index]?.work ?? {}, charge));

const COMPLETE = ["packages/ledger/src/charges/complete.ts", "completer"] as const;
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
    *next(state, { chargesInside, keysOnce, ...others }, { keys, charges, lifetime }) {
      const now = folded(state.database.lines);
      const used = everywhere(state);
      const id = charges.find((name) => !used.includes(name));
      if (!now.isOpen || id === undefined) return;
      // Outside, another charge may come between.
      if (now.spent + (chargesInside ? 1 : 0) > lifetime) return;
      for (const [index, { work }] of writing(state, { chargesInside, keysOnce, ...others }))
        for (const key of keys.keys()) {
          if (keysOnce && [...now.charges.values()].includes(`${key}`)) continue;
          // One that waits for the answer of another charge does nothing until that is there, and is then `reuse`.
          const charged = withLease(append(state, `C${id}${key}`), id, `${index}`);
          yield [`server ${index} charges key ${key} as ${id}`, withWork(charged, index, put(work, id, 0))];
        }
    },
  },
  reuse: {
    code: [
      ["packages/server/src/release/earlier.ts", "answersFrom"],
      [WRITER, "writeCharges"],
    ],
    *next(state, all, { keys, charges }) {
      const now = folded(state.database.lines);
      const used = everywhere(state);
      const id = charges.find((name) => !used.includes(name));
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
      const { database, before, servers, shown } = state;
      const stored = [database.lines, before].flatMap((lines) => [...folded(lines).released.values()]);
      for (const [index, { isUp, work }] of servers.entries())
        for (const [charge, drawn] of Object.entries(work)) {
          if (!isUp || drawn !== 0) continue;
          // A draw that only memory held is as good as never drawn, so its number may come again.
          let number = index + 1;
          while ([...stored, ...shown].includes(`${charge}${number}`)) number += servers.length;
          const measured = withWork(state, index, put(work, charge, number));
          yield [
            `server ${index} measures ${charge}${number}`,
            storesFirst ? measured : see(measured, `${charge}${number}`),
          ];
        }
    },
  },
  store: {
    code: [["packages/server/src/release/release.ts", "storeRelease"], COMPLETE],
    *next(state, all) {
      for (const [index, charge, draw] of drawnIn(state, all))
        if (isStored(state, index, charge, all))
          yield [`server ${index} stores ${draw}`, append(withoutWork(state, index, charge), `R${charge}${draw}`)];
    },
  },
  drop: {
    code: [COMPLETE],
    *next(state, all) {
      for (const [index, charge, draw] of drawnIn(state, all))
        if (!isStored(state, index, charge, all))
          yield [`server ${index} drops ${draw}`, withoutWork(state, index, charge)];
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
        if (!state.shown.includes(draw)) yield [`someone sees ${draw}`, see(state, draw)];
    },
  },
  take: {
    code: [
      [QUEUE, "recover", "submit"],
      [LEASE, "claim", "renew"],
      ["packages/ledger/src/release/charge.ts", "leaseUntil"],
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
      [COMPARE, "compareCheckpoint", "isWrittenOff", "missingFrom", "freezeUnvouched"],
      [LEASE, "giveUp"],
      ["packages/server/src/witness/server.ts", "mustNotGoBack", "forgets"],
    ],
    *next(state, all) {
      const { copy } = state.database;
      for (const [index, { isUp, knows, kept }] of state.servers.entries())
        if (isUp && knows !== copy)
          for (const to of compared(state, kept, all))
            yield [`server ${index} compares its checkpoint`, withServer(to, index, { kept: "here", knows: copy })];
    },
  },
  start: {
    code: [
      [CHECKPOINT, "openCheckpoint", "newestOf", "isSameCopy", "isVouched"],
      ["packages/ledger/src/stores/postgres/postgres.ts", "vouch"],
    ],
    *next(state, all, { hasWitness }) {
      const { servers, witness, database } = state;
      const isVouched = servers.some(({ isUp, knows }) => isUp && knows === database.copy);
      for (const [index, { isUp, kept }] of servers.entries()) {
        if (isUp) continue;
        // The witness replaces a folder that is gone; where both are there, which is newer decides which sum is known.
        const there = index === 0 && hasWitness ? witness : "gone";
        for (const newest of new Set(
          kept === "gone" || there === "gone" ? [kept === "gone" ? there : kept] : [kept, there],
        )) {
          const isTrusted = newest === "gone" && (isVouched || !all.vouchedStart);
          for (const to of isTrusted ? [state] : compared(state, newest, all))
            yield [`server ${index} starts`, withServer(to, index, { isUp: true, knows: database.copy, kept: "here" })];
        }
      }
    },
  },
  openByWitness: {
    code: [
      [COMPARE, "provenBy", "nameWitness"],
      [GAP, "reopenLedgerIn", "refuseLess", "opened"],
      ["packages/ledger/src/verify/reopen.ts", "reopenLedger"],
    ],
    *next(state, all, { lifetime, hasWitness }) {
      const { witness, database, before, shown } = state;
      const now = folded(database.lines);
      const [server] = writing(state, all);
      if (now.isOpen || !hasWitness || server?.[0] !== 0) return;
      for (const moment of witness === "here" ? [""] : unlike(momentsOf(before), database.lines)) {
        const then = folded(moment);
        if (witness !== "here" && all.witnessCurrent && uncounted(shown, then) > then.writtenOff) continue;
        const least = Math.max(now.missing, missingBy(moment, now));
        if (now.spent + least <= lifetime)
          yield [`one person writes off ${least}, by the witness`, opened(state, least)];
      }
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
      // The first person may want as little as the program takes.
      for (const amount of new Set([now.missing, whole])) {
        if (now.spent + amount > lifetime) continue;
        if (!all.twoPeople) yield [`one person writes off ${amount}`, opened(state, amount)];
        else if (!now.asks.includes(`${amount}`))
          yield [`one person asks to write off ${amount}`, append(state, `A${amount}`)];
        else if (amount === whole || !all.secondIsRight)
          yield [`another person agrees to write off ${amount}`, opened(state, amount)];
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
          yield [
            `server ${index} is killed`,
            withServer({ ...state, left }, index, { isUp: false, knows: -1, work: {} }),
          ];
    },
  },
  databaseEnds: {
    code: [],
    *next(state, { durable }) {
      const lines = linesOf(state.database.lines);
      if (durable || lines.length === 0) return; // it comes back with all that was committed
      const rest = lines.slice(0, -1).map((line) => `${line} `);
      yield [
        "the database ends and forgets a line",
        { ...state, database: { ...state.database, lines: rest.join("") } },
      ];
    },
  },
  replace: {
    code: [
      ["packages/server/src/backup/backup.ts", "copyLedger"],
      ["packages/server/src/backup/restore.ts", "restoreBackup"],
    ],
    *next(state) {
      const { left, database, servers } = state;
      if (left.copies === 0) return;
      const [lines, copies] = [database.lines, left.copies - 1];
      for (const older of momentsOf(lines))
        yield [
          `${REPLACED}, with ${linesOf(older).length} of ${linesOf(lines).length} lines`,
          {
            ...state,
            ...{ before: lines, witness: "before", left: { ...left, copies } },
            servers: servers.map((server) => ({ ...server, kept: server.kept === "here" ? "before" : server.kept })),
            database: {
              ...{ copy: database.copy + 1, lines: older },
              leases: Object.fromEntries(pendingIn(folded(older)).map((charge) => [charge, "?"])),
            },
          },
        ];
    },
  },
  folderEnds: {
    code: [],
    *next(state) {
      const { left, servers } = state;
      if (left.folders === 0) return;
      for (const [index, { isUp, kept }] of servers.entries())
        if (!isUp && kept !== "gone")
          yield [
            `the folder of server ${index} is gone`,
            withServer({ ...state, left: { ...left, folders: left.folders - 1 } }, index, { kept: "gone" }),
          ];
    },
  },
} as const satisfies Readonly<Record<string, Action>>;
