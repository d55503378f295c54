import { engineKit } from "../engine/engine.kit.ts";
import { duckdbUnderTest } from "./under-test.kit.ts";

// Each fuzzed table is compared with one removal and one replacement for every unit; a thousand more pairs, many to a table: audit.long.test.ts.
engineKit("DuckDB over Parquet, at length", () => duckdbUnderTest("parquet", 2), { pairs: 8, joins: 2 });
// The statements are those over Parquet but for how a file is read, which engine.test.ts tries with every kind of file.
// join.long.test.ts fuzzes joins over CSV.
engineKit("DuckDB over CSV", () => duckdbUnderTest("csv", 1), { pairs: 2, every: 8, joins: 0 });
