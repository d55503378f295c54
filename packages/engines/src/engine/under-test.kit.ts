import { reveal } from "@dosimeter/core/exact";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine, Measured } from "../../../query/src/plan/engine.ts";
import type { ConnectionSettings } from "../../../query/src/source/connection-settings.ts";
import type { Source } from "../../../query/src/source/kinds.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";

export type Cell = number | string | boolean | null;
export type Row = Readonly<Record<string, Cell>>;
export type Stored =
  | "BIGINT"
  | "DOUBLE"
  | "DECIMAL(18, 6)"
  | "VARCHAR"
  | "BOOLEAN"
  | "DATE"
  | "TIMESTAMP"
  | "TIMESTAMPTZ";

/** An engine under test, and a place to store its tables. */
export interface EngineUnderTest {
  readonly engine: Engine;
  readonly store: (columns: Readonly<Record<string, Stored>>, rows: readonly Row[]) => Promise<Source>;
  /** Texts are never read as numbers. */
  readonly strict?: true;
  /** Of an engine over databases: by which names a server would find them. */
  readonly connections?: Readonly<Record<string, ConnectionSettings>>;
  readonly close: () => Promise<void>;
}

export const SALT = "5e".repeat(32);

export async function measure(engine: Engine, plan: Plan, declaration: Declaration, salt = SALT): Promise<Measured> {
  const version = await engine.check(declaration, { salt });
  return reveal(await engine.run(boundPlan(plan, declaration), version));
}
