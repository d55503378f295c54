import { join } from "node:path";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { modelKit } from "./model.kit.ts";

const folder = temporaryFolder();
let files = 0;

modelKit(() => sqliteStore(join(folder, `${files++}.sqlite`)), Number(process.env.MODEL_RUNS ?? 2));
