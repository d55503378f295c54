import { join } from "node:path";
import { describe } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { postgresServers } from "../stores/postgres/postgres.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { modelKit } from "./model.kit.ts";

const runs = (usual: number) => Number(process.env.MODEL_RUNS ?? usual);

describe("SQLite", () => {
  const folder = temporaryFolder();
  let files = 0;

  modelKit(() => sqliteStore(join(folder, `${files++}.sqlite`)), runs(20));
});

describe("PostgreSQL", () => {
  const servers = postgresServers();

  modelKit(() => servers.open(), runs(6));
});
