#!/usr/bin/env node
// Plain JavaScript that parses on Node 18. In a checkout it runs the sources, as a package what was built.
"use strict";
var path = require("node:path");
var launcher = require("./node.cjs");

var inCheckout = launcher.inCheckout;
var flags = ["--disable-warning=ExperimentalWarning"];
var main = path.join(__dirname, "..", inCheckout ? "src/main.ts" : "dist/command.js");
if (inCheckout) {
  launcher.needInstalled(__dirname);
  launcher.keepCompiled(path.join(__dirname, "..", "..", ".."));
}
var node = launcher.findNode(__dirname);
// This Node runs what is installed by itself: a second one would take longer to start than a short command takes to run.
if (!inCheckout && node === process.execPath) launcher.runHere(main, path.join(__dirname, "..", ".cache"));
else launcher.become(node, flags.concat([main], process.argv.slice(2)));
