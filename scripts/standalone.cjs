// Writes the command with its pages into one folder that needs Node 24 and no registry: what a container holds, and what
// is carried to a machine without a network. `npm run build`, then `node scripts/standalone.cjs <folder>`.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var bundle = require("./bundle-command.cjs");

var root = path.join(__dirname, "..");
var folder = process.argv[2];

/** The packages that stay packages, and everything that they depend on: the folder of each, where Node finds it from `home`. */
function closure(names, home, found) {
  names.forEach(function (name) {
    var place = home;
    while (!fs.existsSync(path.join(place, "node_modules", name, "package.json"))) {
      if (place === root) return; // for another system, or optional and not installed
      place = path.dirname(place);
    }
    var here = path.join(place, "node_modules", name);
    if (found.has(here)) return;
    found.add(here);
    var about = JSON.parse(fs.readFileSync(path.join(here, "package.json"), "utf8"));
    closure(Object.keys(Object.assign({}, about.dependencies, about.optionalDependencies)), here, found);
  });
  return found;
}

/** What only developers read, and fonts in the formats of browsers. */
function isNeeded(file) {
  return !/\.(map|woff2?|eot|svg|d\.ts|d\.mts)$/.test(file);
}

async function write() {
  if (!folder || fs.existsSync(folder)) throw new Error("name a folder that is not there yet");
  if (!fs.existsSync(path.join(bundle.builtWeb, "index.html"))) throw new Error("run `npm run build` first");
  await bundle.bundleCommand(path.join(folder, "dist"));
  closure(bundle.packages, root, new Set()).forEach(function (home) {
    fs.cpSync(home, path.join(folder, path.relative(root, home)), {
      recursive: true,
      filter: function (file) {
        var inner = path.relative(home, file).split(path.sep);
        return inner[0] !== "node_modules" && isNeeded(file);
      },
    });
  });
  var about = JSON.parse(fs.readFileSync(path.join(root, "packages/dosimeter/package.json"), "utf8"));
  fs.writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ name: about.name, version: about.version, private: true, type: "module" }) + "\n",
  );
  fs.cpSync(path.join(root, "packages/dosimeter/bin"), path.join(folder, "bin"), { recursive: true });
  ["LICENSE", "CHANGELOG.md"].forEach(function (paper) {
    fs.copyFileSync(path.join(root, paper), path.join(folder, paper));
  });
}

write().catch(function (error) {
  console.error("dosimeter: " + error.message);
  process.exit(1);
});
