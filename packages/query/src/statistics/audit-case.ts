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
 * A statistic that the audit tests. `by`: it compares neighbours by groups of declared values, by words that are found
 * in the rows, or over the whole table at once.
 */
export interface AuditCase {
  readonly asked: AuditRequest;
  readonly by: "declared" | "found" | "alone";
  readonly price?: { readonly rho: DecimalInput };
}

/** A statistic whose noise the audit draws many times. */
export interface NoiseCase extends Omit<AuditRequest, "column"> {
  readonly column?: "age" | "pay" | "region" | "word" | "twice";
  readonly groupBy?: readonly ["region" | "word"];
  readonly keys?: "select";
  readonly keyShare?: number;
  readonly delta?: number;
  readonly epsilon?: 1;
  readonly rho?: 0.5;
}
