// Bundles the page with the library into one classic script, which a browser loads from a folder too.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

const here = import.meta.dirname;
await build({
  input: join(here, "page.mjs"),
  output: { file: join(here, "dist/page.js"), format: "iife", minify: true },
  logLevel: "warn",
});
console.log(`Open ${pathToFileURL(join(here, "index.html"))}`);
