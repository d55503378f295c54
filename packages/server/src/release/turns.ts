import type { Charge } from "@dosimeter/ledger";

/** How many may wait of one person, on one ledger, and in all. */
const MAX_WAITING = { principal: 500, ledger: 1000 } as const;
const MAX_WAITING_IN_ALL = 5000;

type Waiting = { readonly charge: Pick<Charge, "principal" | "ledger"> };

/** Whether another release of this person on this ledger may not wait as well. */
export function isFull(waiting: readonly Waiting[], by: Waiting["charge"]): boolean {
  const count = (of: keyof typeof MAX_WAITING) => waiting.filter(({ charge }) => charge[of] === by[of]).length;
  return (
    waiting.length >= MAX_WAITING_IN_ALL ||
    count("principal") >= MAX_WAITING.principal ||
    count("ledger") >= MAX_WAITING.ledger
  );
}

/** Those who wait, in the order of their turns. */
interface Turns<Job> {
  readonly add: (job: Job) => void;
  /** Whose turn it is among those that may begin. */
  readonly peek: (may?: (job: Job) => boolean) => Job | undefined;
  /** Begins a turn: it was the last of its person and of its ledger. */
  readonly take: (job: Job) => void;
  readonly size: () => number;
}

/**
 * Each person and each ledger takes turns: next is the job whose person and ledger both had no turn for the longest time, then the one
 * whose person had none, then the one that came first. However many wait, a person who had no turn waits for the running ones only.
 */
export function openTurns<Job extends Waiting>(): Turns<Job> {
  const waiting = new Set<Job>();
  const last = new Map<string, number>();
  let turn = 0;
  const lastOf = (id: string): number => last.get(id) ?? 0;

  return {
    add: (job) => waiting.add(job),
    peek(may = () => true) {
      let next: Job | undefined;
      let least: readonly [number, number] = [Infinity, Infinity];
      for (const job of waiting) {
        if (!may(job)) continue;
        const { principal, ledger } = job.charge;
        const person = lastOf(principal);
        const both = Math.max(person, lastOf(ledger));
        if (both > least[0] || (both === least[0] && person >= least[1])) continue;
        [next, least] = [job, [both, person]];
      }
      return next;
    },
    take(job) {
      waiting.delete(job);
      turn += 1;
      last.set(job.charge.principal, turn);
      last.set(job.charge.ledger, turn);
      // While no one waits there is no one to be fair to.
      if (waiting.size === 0) last.clear();
    },
    size: () => waiting.size,
  };
}
