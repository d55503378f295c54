// `npm run release:version`: turns the notes in .changeset into changelogs and one next version, everywhere it is written.
"use strict";
var childProcess = require("node:child_process");
var fs = require("node:fs");
var path = require("node:path");

var root = path.join(__dirname, "..");

function run(args) {
  var ended = childProcess.spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
  if (ended.status !== 0) process.exit(ended.status || 1);
}

function rewrite(file, change) {
  var full = path.join(root, file);
  fs.writeFileSync(full, change(fs.readFileSync(full, "utf8")));
}

run([path.join(__dirname, "run.cjs"), "changeset", "version"]);
var version = JSON.parse(fs.readFileSync(path.join(root, "packages/core/package.json"), "utf8")).version;
rewrite("package.json", function (text) {
  return text.replace(/"version": "[^"]+"/, '"version": "' + version + '"');
});
rewrite("packages/core/src/version.ts", function (text) {
  return text.replace(/VERSION = "[^"]+"/, 'VERSION = "' + version + '"');
});
rewrite("clients/python/src/dosimeter/version.py", function (text) {
  return text.replace(/VERSION = "[^"]+"/, 'VERSION = "' + version + '"');
});
rewrite("clients/r/DESCRIPTION", function (text) {
  return text.replace(/^Version: .+$/m, "Version: " + version);
});
childProcess.execFileSync("npm", ["install", "--package-lock-only"], { stdio: "inherit", cwd: root });
