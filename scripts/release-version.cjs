// `npm run release:version 0.2.0`: writes the next version everywhere it stands, and above what the changelog says of it.
"use strict";
var childProcess = require("node:child_process");
var fs = require("node:fs");
var path = require("node:path");

var root = path.join(__dirname, "..");
var version = process.argv[2];

function rewrite(file, found, replacement) {
  var full = path.join(root, file);
  var text = fs.readFileSync(full, "utf8");
  var changed = text.replace(found, replacement);
  if (changed === text) throw new Error(file + " has no " + found);
  fs.writeFileSync(full, changed);
}

if (!/^\d+\.\d+\.\d+$/.test(version || "")) {
  console.error("dosimeter: the next version is " + version + ", must be three numbers: npm run release:version 0.2.0");
  process.exit(1);
}
rewrite("CHANGELOG.md", /^## Next$/m, "## " + version);
var manifests = ["packages", "apps"].flatMap(function (folder) {
  return fs.readdirSync(path.join(root, folder)).map(function (name) {
    return folder + "/" + name + "/package.json";
  });
});
["package.json"].concat(manifests).forEach(function (file) {
  rewrite(file, /^( +"(?:version|@dosimeter\/[a-z-]+)": )"\d+\.\d+\.\d+"/gm, '$1"' + version + '"');
});
["packages/core/src/version.ts", "clients/python/src/dosimeter/version.py"].forEach(function (file) {
  rewrite(file, /VERSION = "[^"]+"/, 'VERSION = "' + version + '"');
});
rewrite("clients/r/DESCRIPTION", /^Version: .+$/m, "Version: " + version);
childProcess.execFileSync("npm", ["install", "--package-lock-only"], { stdio: "inherit", cwd: root });
