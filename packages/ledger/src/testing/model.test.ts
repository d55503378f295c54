import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { modelKit } from "./model.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

modelKit(() => sqliteStore(join(folder, `${files++}.sqlite`)), Number(process.env.MODEL_RUNS ?? 2));
