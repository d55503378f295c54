import { createQueryId, type QueryCompiler } from "kysely";
import type { Dialect, Sql } from "./dialect.ts";

/** The `compile` of a dialect whose SQL this Kysely compiler writes. */
export const compiledBy =
  (compiler: QueryCompiler): Dialect["compile"] =>
  (fragment) => {
    const { sql, parameters } = compiler.compileQuery(fragment.toOperationNode(), createQueryId());
    return { text: sql, parameters: parameters as Sql["parameters"] };
  };
