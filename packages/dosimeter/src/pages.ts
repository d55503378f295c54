import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("./web", import.meta.url));

/** The pages: a package carries them here; in a checkout the server finds them in apps/web. */
export const pages = existsSync(built) ? { webRoot: built } : {};
