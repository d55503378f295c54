import type { WorkRow } from "./workbench.ts";

/** The rows as they were when last reviewed, for what changed since. */
export type Reviewed = Readonly<Record<string, string>>;
export const reviewedOf = (rows: readonly WorkRow[]): Reviewed =>
  Object.fromEntries(rows.map((row) => [row.id, fingerprint(row)]));
export const fingerprint = ({ settings, epsilon, rho }: WorkRow): string => JSON.stringify([settings, epsilon, rho]);
