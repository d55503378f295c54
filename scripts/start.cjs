// `npm start`: builds the web app where it is not built or is older than its sources, then serves with the demo.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var childProcess = require("node:child_process");
var launcher = require("../packages/dosimeter/bin/node.cjs");

var root = path.join(__dirname, "..");
launcher.needInstalled(root);
var node = launcher.findNode(root);

function newest(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).reduce(function (latest, entry) {
    var full = path.join(dir, entry.name);
    if (/^(node_modules|dist|dist-types)$/.test(entry.name) || /\.test\.tsx?$/.test(entry.name)) return latest;
    return Math.max(latest, entry.isDirectory() ? newest(full) : fs.statSync(full).mtimeMs);
  }, 0);
}

var built = path.join(root, "apps", "web", "dist", "index.html");
var sources = [
  "apps/web",
  "packages/core",
  "packages/risk",
  "packages/plot",
  "packages/query",
  "packages/client",
  "packages/verify",
];
var builtAt = fs.existsSync(built) ? fs.statSync(built).mtimeMs : 0;
var isStale = sources.some(function (dir) {
  return newest(path.join(root, dir)) > builtAt;
});
var vite = path.join(root, "node_modules", "vite", "bin", "vite.js");
if (isStale && fs.existsSync(vite)) {
  console.log("Building the web app …");
  var build = childProcess.spawnSync(node, [vite, "build", path.join(root, "apps", "web"), "--logLevel", "warn"], {
    stdio: "inherit",
    cwd: root,
  });
  if (build.status !== 0) process.exit(build.status || 1);
} else if (builtAt === 0) {
  console.error(
    "dosimeter: the web app is not built and its build tools are not installed. Run `npm ci` (without --omit=dev) first.",
  );
  process.exit(1);
}
launcher.keepCompiled(root);
launcher.become(
  node,
  [
    "--disable-warning=ExperimentalWarning",
    "--conditions=@dosimeter/source",
    path.join(root, "packages", "dosimeter", "src", "main.ts"),
    "serve",
    "--demo",
  ].concat(process.argv.slice(2)),
);
