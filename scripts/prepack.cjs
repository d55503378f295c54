// Run by npm in a package's folder before it is packed: adds the licence, the changelog and, to `dosimeter`, the built web app, and
// removes from `dist` what an earlier build left of sources that are gone. The command of `dosimeter` becomes a few files.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var bundle = require("./bundle-command.cjs");

var root = path.join(__dirname, "..");
var here = process.cwd();
var dist = path.join(here, "dist");
var hasWeb = path.basename(here) === "dosimeter";

[dist].concat(hasWeb ? [path.join(bundle.builtWeb, "index.html")] : []).forEach(function (needed) {
  if (fs.existsSync(needed)) return;
  console.error("dosimeter: " + path.relative(root, needed) + " is missing. Run `npm run build` first.");
  process.exit(1);
});

fs.readdirSync(dist, { recursive: true }).forEach(function (file) {
  var source = /^(.*?)(\.d)?\.[jt]s(\.map)?$/.exec(file);
  if (source === null || file.split(path.sep)[0] === "web") return;
  if (!fs.existsSync(path.join(here, "src", source[1] + ".ts"))) fs.rmSync(path.join(dist, file));
});

["LICENSE", "CHANGELOG.md"].forEach(function (paper) {
  fs.copyFileSync(path.join(root, paper), path.join(here, paper));
});
if (hasWeb)
  bundle.bundleCommand(dist).catch(function (error) {
    console.error(error);
    process.exit(1);
  });
