import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";

/** Counts what each has open. What it gives back ends one; null where one has `most` already. */
export function countOpen<Who extends string>(most: number): (who: Who) => (() => void) | null {
  const open = new Map<Who, number>();
  return (who) => {
    const own = open.get(who) ?? 0;
    if (own >= most) return null;
    open.set(who, own + 1);
    return () => {
      const left = (open.get(who) ?? 1) - 1;
      if (left === 0) open.delete(who);
      else open.set(who, left);
    };
  };
}

/** Counts what each person has open; `begin` returns what ends it. RATE_LIMITED above `most` at once for one person. */
export function perPerson(most: number, what: string): (reader: PrincipalId) => () => void {
  const begin = countOpen<PrincipalId>(most);
  return (reader) => {
    const end = begin(reader);
    if (end !== null) return end;
    throw new PrivacyError(
      "RATE_LIMITED",
      { seconds: 10 },
      `${most} ${what} of yours are being made or read; try again when one has ended`,
    );
  };
}
