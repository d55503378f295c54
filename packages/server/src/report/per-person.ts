import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";

/** Counts what each person has open; `begin` returns what ends it. RATE_LIMITED above `most` at once for one person. */
export function perPerson(most: number, what: string): (reader: PrincipalId) => () => void {
  const running = new Map<PrincipalId, number>();
  return (reader) => {
    const own = running.get(reader) ?? 0;
    if (own >= most)
      throw new PrivacyError(
        "RATE_LIMITED",
        { seconds: 10 },
        `${own} ${what} of yours are being made or read; try again when one has ended`,
      );
    running.set(reader, own + 1);
    return () => {
      const left = (running.get(reader) ?? 1) - 1;
      if (left === 0) running.delete(reader);
      else running.set(reader, left);
    };
  };
}
