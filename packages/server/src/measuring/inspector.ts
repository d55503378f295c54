import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import type { Jobs } from "./job.ts";
import type { Measurer } from "./measurer.ts";

/** Reads tables for the people who bring them, in turns, so that releases and other people go on. */
export interface Inspector {
  /** RATE_LIMITED when too many of this person's wait already. */
  inspect<Name extends "append" | "check" | "describe" | "list">(
    name: Name,
    given: Jobs[Name]["given"],
    by: { readonly person: PrincipalId; readonly signal: AbortSignal },
  ): Promise<Jobs[Name]["result"]>;
}

/** How many tables are read at once, each for another person, and how many of one person may wait. */
const AT_ONCE = 3;
const MAX_WAITING = 50;

export function openInspector({ run }: Pick<Measurer, "run">): Inspector {
  const running = new Set<PrincipalId>();
  /** Who waits, in the order of their turns, and how each of their jobs begins. */
  const waiting = new Map<PrincipalId, readonly (() => void)[]>();

  function startNext(): void {
    for (const [person, [begin, ...others]] of waiting) {
      if (running.size >= AT_ONCE) return;
      if (begin === undefined || running.has(person)) continue;
      waiting.delete(person);
      if (others.length > 0) waiting.set(person, others);
      running.add(person);
      begin();
    }
  }

  return {
    async inspect(name, given, { person, signal }) {
      const own = waiting.get(person) ?? [];
      if (own.length >= MAX_WAITING)
        throw new PrivacyError("RATE_LIMITED", { seconds: 10 }, "many of your tables wait to be read; try again soon");
      const turn = Promise.withResolvers<void>();
      waiting.set(person, [...own, turn.resolve]);
      startNext();
      await turn.promise;
      try {
        return await run(name, given, signal);
      } finally {
        running.delete(person);
        startNext();
      }
    },
  };
}
