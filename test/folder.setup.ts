import { afterAll } from "vitest";
import { removeFolders } from "./folder.kit.ts";

afterAll(removeFolders); // the first of the file's own, so the last to run
