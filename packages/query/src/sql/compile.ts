import { createQueryId, type QueryCompiler } from "kysely";
import type { Dialect, Sql } from "./dialect.ts";

/** What `Dialect.compile` is, for a database that writes SQL as this compiler of Kysely does. */
export const compiledBy =
  (compiler: QueryCompiler): Dialect["compile"] =>
  (fragment) => {
    const { sql, parameters } = compiler.compileQuery(fragment.toOperationNode(), createQueryId());
    return { text: sql, parameters: parameters as Sql["parameters"] };
  };
