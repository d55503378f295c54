// Writes the command with its pages into one folder that needs Node 24 and no registry: what a container holds, and what
// is carried to a machine without a network. `npm run build`, then `npm run standalone <folder>`.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { addPapers, librariesOf, type Manifest, manifestOf, root, writeCode } from "./packages.ts";

/** The libraries, and everything that they depend on: the folder of each, where Node finds it from `home`. */
function closure(names: readonly string[], home: string, found: Set<string>): ReadonlySet<string> {
  for (const name of names) {
    let place = home;
    while (place !== root && !existsSync(join(place, "node_modules", name, "package.json"))) place = dirname(place);
    const here = join(place, "node_modules", name);
    // One that is for another system, or optional, is not installed.
    if (found.has(here) || !existsSync(here)) continue;
    found.add(here);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(here, "package.json"), "utf8"),
    ) as Manifest;
    closure(Object.keys({ ...dependencies, ...optionalDependencies }), here, found);
  }
  return found;
}

/** Not what only developers read or run, nor fonts in the formats of browsers, nor extensions of PostgreSQL. */
const isNeeded = (file: string): boolean => !/\.(map|woff2?|eot|svg|d\.ts|d\.mts|tar\.gz|yarn)$/.test(file);

const folder = resolve(process.argv[2] ?? ".");
if (existsSync(folder)) throw new Error(`the folder is ${folder}, must be one that is not there yet`);
const manifest = manifestOf("dosimeter");
await writeCode("dosimeter", join(folder, "dist"));
for (const home of closure(Object.keys(librariesOf(manifest)), root, new Set()))
  cpSync(home, join(folder, relative(root, home)), {
    recursive: true,
    filter: (file) => relative(home, file).split(sep)[0] !== "node_modules" && isNeeded(file),
  });
const { name, version } = manifest;
writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, private: true, type: "module" })}\n`);
addPapers("dosimeter", folder);
