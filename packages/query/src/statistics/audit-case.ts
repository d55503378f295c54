import type { DecimalInput } from "../plan/bounded.ts";

/** Fields of a request over the made-up table of the audit, without its name. Bins are shares of the range of `pay`. */
interface AuditRequest {
  readonly column?: "age" | "pay" | "region" | "word";
  readonly with?: readonly ("age" | "member")[];
  readonly bins?: readonly number[];
  readonly quantiles?: readonly number[];
  readonly valuesPerUnit?: number;
  readonly k?: number;
}

/**
 * A question of the audit. `by`: neighbours are compared group by group of declared values, by words that are found in the
 * rows, or over the whole table at once.
 */
export interface AuditCase {
  readonly asked: AuditRequest;
  readonly by: "declared" | "found" | "alone";
  readonly price?: { readonly rho: DecimalInput };
}
