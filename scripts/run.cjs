// Runs a development tool on a Node that can: `node scripts/run.cjs vitest run`.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var launcher = require("../packages/dosimeter/bin/node.cjs");

var root = path.join(__dirname, "..");
var tool = process.argv[2];
var packages = { tsc: "typescript", biome: "@biomejs/biome" };
var home = path.join(root, "node_modules", packages[tool] || tool);
if (!fs.existsSync(home)) {
  console.error("dosimeter: " + tool + " is not installed. Run `npm ci` (without --omit=dev) first.");
  process.exit(1);
}
// Astro would report each build to its makers.
process.env.ASTRO_TELEMETRY_DISABLED = "1";
var bin = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8")).bin;
var script = path.join(home, typeof bin === "string" ? bin : bin[tool]);
launcher.become(launcher.findNode(root), [script].concat(process.argv.slice(3)));
