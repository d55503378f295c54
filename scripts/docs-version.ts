// Keeps the documentation of several versions side by side: `npm run build:docs`, then `npm run docs:version -- site` puts it into
// site/<version>. Every page there then has a switch to the other versions in the folder, which works from a disk too.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { VERSION } from "@dosimeter/core";

const SCRIPT = "versions.js";

/** What the switch does, as text of a plain script: a browser loads no module from a folder. */
const switcher = `
const root = new URL(".", document.currentScript.src).href;
const here = versions.find(({ name }) => root.endsWith("/" + name + "/"))?.name;
const page = decodeURI(location.href.slice(root.length).split(/[?#]/)[0]) || "index.html";
const label = document.createElement("label");
label.textContent = "Version ";
const choice = label.appendChild(document.createElement("select"));
for (const { name } of versions) choice.add(new Option(name, name, name === here, name === here));
choice.onchange = () => {
  const { pages } = versions.find(({ name }) => name === choice.value);
  location.href = root + "../" + choice.value + "/" + (pages.includes(page) ? page : "index.html");
};
document.querySelector("header .title-wrapper")?.append(label);
`;

/** Adds the built book as `version`, and tells every version in the folder of the others, the newest first. */
export function addVersion(built: string, site: string, version: string): void {
  const folder = join(site, version);
  rmSync(folder, { recursive: true, force: true });
  cpSync(built, folder, { recursive: true });
  for (const file of pagesOf(folder)) {
    const up = relative(dirname(file), ".").split(sep).join("/");
    const page = join(folder, file);
    const tag = `<script defer src="${up === "" ? "" : `${up}/`}${SCRIPT}"></script>`;
    writeFileSync(page, readFileSync(page, "utf8").replace("</head>", `${tag}</head>`));
  }
  const versions = readdirSync(site, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, pages: pagesOf(join(site, name)) }))
    .toSorted((one, other) => other.name.localeCompare(one.name, "en", { numeric: true }));
  for (const { name } of versions)
    writeFileSync(join(site, name, SCRIPT), `const versions = ${JSON.stringify(versions)};\n${switcher}`);
  const newest = versions[0]?.name ?? version;
  writeFileSync(
    join(site, "index.html"),
    `<!doctype html><meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`,
  );
}

const pagesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html"))
    .map((file) => file.split(sep).join("/"));

if (import.meta.main) {
  const [site] = process.argv.slice(2);
  if (site === undefined) throw new Error("usage: npm run docs:version -- <folder of the site>");
  addVersion(join(import.meta.dirname, "../apps/web/dist/docs"), site, VERSION);
  console.log(`The documentation of ${VERSION} is in ${join(site, VERSION)}`);
}
