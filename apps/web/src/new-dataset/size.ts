import type { Dataset } from "@dosimeter/client";

/** The number of rows as its owner declares it, exact or assumed; never read from the data. */
export function declaredSize({ declaration }: Dataset): number | undefined {
  const { assumed, public: exact } = (declaration.size ?? {}) as { assumed?: number; public?: number };
  return assumed ?? exact;
}
