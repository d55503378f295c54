import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { postgresServers } from "../stores/postgres/postgres.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { modelKit } from "./model.kit.ts";

const runs = (usual: number) => Number(process.env.MODEL_RUNS ?? usual);

describe("SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;

  modelKit(() => sqliteStore(join(folder, `${files++}.sqlite`)), runs(20));
});

describe("PostgreSQL", () => {
  const servers = postgresServers();

  modelKit(() => servers.open(), runs(6));
});
