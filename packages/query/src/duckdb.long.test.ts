import { duckdbUnderTest } from "./duckdb.kit.ts";
import { engineKit } from "./engine.kit.ts";

// More than a thousand neighbour pairs: each fuzzed table is compared with one removal and one replacement for every unit.
engineKit("DuckDB over Parquet, at length", () => duckdbUnderTest("parquet", 2), { pairs: 24 });
