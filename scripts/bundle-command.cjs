// What the installed command runs: the sources of all packages, and of the libraries that are plain JavaScript, in a few
// files. Node takes longer to find a thousand modules than to run what one command needs of them.
"use strict";
var fs = require("node:fs");
var path = require("node:path");

var root = path.join(__dirname, "..");

/** Stay packages: what has native code, what reads files next to itself or is read as files, and drivers with optional parts. */
var packages = [
  "@duckdb/node-api",
  "@resvg/resvg-js",
  "apache-arrow",
  "lz4js",
  "pdfkit",
  "pg",
  "pg-cursor",
  "roboto-fontface",
  "saxes",
  "yauzl",
];

function isPackage(id) {
  return packages.some(function (name) {
    return id === name || id.startsWith(name + "/");
  });
}

/** `command.js`, and a file for each thread and process that it starts: all in one folder, where they find each other. */
function entries() {
  var found = { command: path.join(root, "packages/dosimeter/src/main.ts") };
  fs.readdirSync(path.join(root, "packages")).forEach(function (name) {
    var sources = path.join(root, "packages", name, "src");
    fs.readdirSync(sources, { recursive: true }).forEach(function (file) {
      if (!file.endsWith(".worker.ts")) return;
      var entry = path.basename(file, ".ts");
      if (found[entry]) throw new Error("two workers are named " + entry);
      found[entry] = path.join(sources, file);
    });
  });
  return found;
}

/** The licences of the libraries whose modules these are. */
function licences(modules) {
  var homes = new Set();
  modules.forEach(function (id) {
    var match = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id);
    if (match) homes.add(match[0].replace(/^\0/, ""));
  });
  var texts = Array.from(homes, function (home) {
    var about = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));
    var file = fs.readdirSync(home).find(function (name) {
      return /^licen[cs]e/i.test(name);
    });
    if (!file) throw new Error(about.name + " has no text of its licence, so it must stay a package");
    return about.name + " " + about.version + "\n\n" + fs.readFileSync(path.join(home, file), "utf8").trim();
  });
  return texts.sort().join("\n\n" + "-".repeat(80) + "\n\n") + "\n";
}

var builtWeb = path.join(root, "apps", "web", "dist");

/** Writes the command and the built pages into `folder`. Without source maps: names stay, and each part says which source it is from. */
async function bundleCommand(folder) {
  fs.rmSync(path.join(folder, "web"), { recursive: true, force: true });
  fs.cpSync(builtWeb, path.join(folder, "web"), { recursive: true });
  var rolldown = await import("rolldown");
  var build = await rolldown.rolldown({
    input: entries(),
    platform: "node",
    external: isPackage,
    resolve: { conditionNames: ["@dosimeter/source", "import", "node", "default"] },
  });
  var written = await build.write({ dir: folder, entryFileNames: "[name].js", chunkFileNames: "command-[hash].js" });
  await build.close();
  var modules = written.output.flatMap(function (chunk) {
    return chunk.moduleIds || [];
  });
  fs.writeFileSync(path.join(folder, "LICENSES.txt"), licences(modules));
}

module.exports = { bundleCommand: bundleCommand, builtWeb: builtWeb, packages: packages };
