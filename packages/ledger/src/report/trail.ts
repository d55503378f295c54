import type { DpEvent } from "@dosimeter/core";
import type { Context } from "../context.ts";
import type { LedgerId } from "../values/id.ts";

interface Kind {
  readonly events: readonly DpEvent[];
  /** Whether it named blocks: not what was charged before the ledger had any. */
  readonly namesBlocks: boolean;
}

/** Every charge of one ledger in a few numbers: its list of events, its account, its time. */
export interface Trail {
  /** The distinct lists of events, with and without blocks; most ledgers have few. */
  readonly kinds: Kind[];
  readonly accounts: string[];
  /** One element a charge, in ledger order. */
  readonly kindOf: number[];
  readonly accountOf: number[];
  readonly numberOf: number[];
  /** Milliseconds since 1970. */
  readonly timeOf: number[];
}

interface Growing extends Trail {
  /** Number of the newest entry that was read. */
  read: bigint;
  readonly kindIndex: Map<string, number>;
  readonly accountIndex: Map<string, number>;
}

const PAGE = 500;
const MAX_LEDGERS = 32;

/** The trails of recently used ledgers: each is read once, then only the lines appended since. */
export function openTrails({ store }: Pick<Context, "store">): (ledger: LedgerId) => Promise<Trail> {
  const trails = new Map<string, Growing>();
  const reading = new Map<string, Promise<Trail>>();

  async function grow(ledger: LedgerId): Promise<Trail> {
    const trail = trails.get(ledger) ?? nothing();
    trails.delete(ledger);
    trails.set(ledger, trail);
    for (const [oldest] of trails) {
      if (trails.size <= MAX_LEDGERS) break;
      trails.delete(oldest);
    }
    for (;;) {
      const rows = await store.read
        .selectFrom("entry")
        .select(["number", "account_id", "events", "at"])
        .select(({ selectFrom }) =>
          selectFrom("charge_block")
            .select(({ fn }) => fn.min("block_from").as("from"))
            .whereRef("entry_seq", "=", "entry.seq")
            .as("from"),
        )
        .where("ledger_id", "=", ledger)
        .where("kind", "in", ["charge", "writeOff"])
        .where("number", ">", trail.read)
        .orderBy("number")
        .limit(PAGE)
        .execute();
      for (const { number, account_id, events, at, from } of rows) {
        const namesBlocks = from !== null;
        const kind = () => trail.kinds.push({ events: JSON.parse(events) as DpEvent[], namesBlocks });
        trail.kindOf.push(indexOf(trail.kindIndex, `${namesBlocks} ${events}`, kind));
        const account = account_id ?? "";
        trail.accountOf.push(indexOf(trail.accountIndex, account, () => trail.accounts.push(account)));
        trail.numberOf.push(Number(number));
        trail.timeOf.push(Date.parse(at));
        trail.read = number;
      }
      if (rows.length < PAGE) return trail;
      await new Promise((resume) => setImmediate(resume)); // a long ledger lets requests through
    }
  }

  return (ledger) => {
    const asked =
      reading.get(ledger) ??
      grow(ledger).finally(() => {
        reading.delete(ledger);
      });
    reading.set(ledger, asked);
    return asked;
  };
}

const nothing = (): Growing => ({
  kinds: [],
  accounts: [],
  kindOf: [],
  accountOf: [],
  numberOf: [],
  timeOf: [],
  read: 0n,
  kindIndex: new Map(),
  accountIndex: new Map(),
});

function indexOf(known: Map<string, number>, text: string, add: () => number): number {
  const found = known.get(text);
  if (found !== undefined) return found;
  const index = add() - 1;
  known.set(text, index);
  return index;
}
