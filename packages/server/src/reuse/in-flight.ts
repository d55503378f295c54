import type { ChargeId } from "@dosimeter/ledger";

/** Questions that are being paid for right now: who asks the same waits for that answer instead of paying again. */
export interface InFlight {
  /** Resolves when none of the questions is being paid for, by the same person, or after so many seconds; true when it waited. */
  readonly settled: (names: readonly string[], seconds: number) => Promise<boolean>;
  /** Until `end`, or `leave`: these questions are being paid for. */
  readonly enter: (names: readonly string[]) => Ticket;
  readonly end: (charge: ChargeId) => void;
}

export interface Ticket {
  readonly charged: (charge: ChargeId) => void;
  readonly leave: () => void;
}

export function openInFlight(): InFlight {
  const waiting = new Map<string, Promise<void>>();
  const charges = new Map<ChargeId, () => void>();
  return {
    async settled(names, seconds) {
      const before = names.flatMap((name) => waiting.get(name) ?? []);
      if (before.length === 0) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, seconds * 1000);
      await Promise.race([Promise.all(before), promise]);
      clearTimeout(timer);
      return true;
    },
    enter(names) {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const name of names) waiting.set(name, promise);
      const leave = () => {
        for (const name of names) if (waiting.get(name) === promise) waiting.delete(name);
        resolve();
      };
      return { charged: (charge) => charges.set(charge, leave), leave };
    },
    end(charge) {
      charges.get(charge)?.();
      charges.delete(charge);
    },
  };
}
