import type { Dataset } from "@dosimeter/client";
import { type Declaration, type UnitNoun, unitNounOf } from "@dosimeter/query/declaration";

/** The number of rows as its owner declares it, exact or assumed; never read from the data. */
export function declaredSize({ declaration }: Dataset): number | undefined {
  const { assumed, public: exact } = (declaration.size ?? {}) as { assumed?: number; public?: number };
  return assumed ?? exact;
}

/** What one and several of the protected units are called. */
export const declaredNoun = ({ declaration }: Dataset): UnitNoun =>
  unitNounOf(declaration as Pick<Declaration, "unitNoun">);
