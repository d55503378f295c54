import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "@dosimeter/cli";

// The package carries the built web app here; in a checkout the server finds it in apps/web.
const webRoot = fileURLToPath(new URL("./web", import.meta.url));

await main(existsSync(webRoot) ? { webRoot } : {});
