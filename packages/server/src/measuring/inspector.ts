import type { PrincipalId } from "@dosimeter/ledger";
import { peopleInTurn } from "../access/people-in-turn.ts";
import type { Jobs } from "./job.ts";
import type { Measurer } from "./measurer.ts";

/** Reads tables for the people who bring them, in turns, so that releases and other people go on. */
export interface Inspector {
  /** RATE_LIMITED when too many of this person's wait already. */
  inspect<Name extends "append" | "check" | "describe" | "fit" | "list">(
    name: Name,
    given: Jobs[Name]["given"],
    by: { readonly person: PrincipalId; readonly signal: AbortSignal },
  ): Promise<Jobs[Name]["result"]>;
}

/** How many tables are read at once, each for another person. */
const AT_ONCE = 3;

export function openInspector({ run }: Pick<Measurer, "run">): Inspector {
  const turns = peopleInTurn(AT_ONCE, "tables");
  return {
    async inspect(name, given, { person, signal }) {
      const leave = await turns.enter(person);
      try {
        return await run(name, given, signal);
      } finally {
        leave();
      }
    },
  };
}
