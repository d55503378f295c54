import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";

/** Work of many people: a person who waits, waits for one of each other person. */
interface PeopleInTurn {
  /** Resolves when it is this person's turn, with what ends it. RATE_LIMITED when too much of this person's waits already. */
  enter(person: PrincipalId): Promise<() => void>;
}

const MAX_WAITING = 50;

/** Each of those that run at once is for another person. */
export function peopleInTurn(atOnce: number, what: string): PeopleInTurn {
  const running = new Set<PrincipalId>();
  /** Who waits, in the order of their turns, and how each of their works begins. */
  const waiting = new Map<PrincipalId, readonly (() => void)[]>();

  function startNext(): void {
    for (const [person, [begin, ...others]] of [...waiting]) {
      if (running.size >= atOnce) return;
      if (begin === undefined || running.has(person)) continue;
      waiting.delete(person);
      if (others.length > 0) waiting.set(person, others);
      running.add(person);
      begin();
    }
  }

  return {
    async enter(person) {
      const own = waiting.get(person) ?? [];
      if (own.length >= MAX_WAITING)
        throw new PrivacyError("RATE_LIMITED", { seconds: 10 }, `many of your ${what} wait to be read; try again soon`);
      const turn = Promise.withResolvers<void>();
      waiting.set(person, [...own, turn.resolve]);
      startNext();
      await turn.promise;
      return () => {
        running.delete(person);
        const others = waiting.get(person);
        waiting.delete(person);
        if (others !== undefined) waiting.set(person, others); // who had a turn is behind who had none
        startNext();
      };
    },
  };
}
