import { agentRows } from "./agent.kit.ts";
import { fdpRows } from "./fdp.kit.ts";
import { psiRows } from "./psi.kit.ts";
import { riskRows } from "./risk.kit.ts";
import type { SourceRow } from "./row.kit.ts";

/** Every row of the walk through the four documents. */
export const sourceRows: readonly SourceRow[] = [...agentRows, ...fdpRows, ...riskRows, ...psiRows];
