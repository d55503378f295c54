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

var web = [
  "apps/web",
  "packages/core",
  "packages/risk",
  "packages/plot",
  "packages/query",
  "packages/tradeoff",
  "packages/planner",
  "packages/reuse",
  "packages/sql-text",
  "packages/client",
  "packages/verify",
];
// The documentation comes after the app, whose build empties the folder of both.
var builds = [
  { name: "web app", result: "index.html", sources: web, tools: [["vite", "build", "apps/web", "--logLevel", "warn"]] },
  {
    name: "documentation",
    result: "docs/index.html",
    sources: ["apps/docs", "docs", "packages/core", "packages/risk", "packages/plot"],
    tools: [["astro", "build", "--root", "apps/docs", "--silent"]],
  },
];
builds.forEach(function (build) {
  var result = path.join(root, "apps", "web", "dist", build.result);
  var builtAt = fs.existsSync(result) ? fs.statSync(result).mtimeMs : 0;
  var isStale = build.sources.some(function (dir) {
    return newest(path.join(root, dir)) > builtAt;
  });
  if (isStale && fs.existsSync(path.join(root, "node_modules", build.tools[build.tools.length - 1][0]))) {
    console.log("Building the " + build.name + " …");
    build.tools.forEach(function (tool) {
      var run = [path.join(root, "scripts", "run.cjs")].concat(tool);
      var made = childProcess.spawnSync(node, run, { stdio: "inherit", cwd: root });
      if (made.status !== 0) process.exit(made.status || 1);
    });
  } else if (builtAt === 0) {
    console.error(
      "dosimeter: the " +
        build.name +
        " is not built and its build tools are not installed. Run `npm ci` (without --omit=dev) first.",
    );
    process.exit(1);
  }
});
launcher.keepCompiled(root);
launcher.become(
  node,
  [
    "--disable-warning=ExperimentalWarning",

    path.join(root, "packages", "dosimeter", "src", "main.ts"),
    "serve",
    "--demo",
  ].concat(process.argv.slice(2)),
);
