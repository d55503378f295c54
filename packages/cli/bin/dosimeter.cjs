#!/usr/bin/env node
// Plain JavaScript that parses on Node 18. In a checkout it runs the sources, as a package what was built.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var launcher = require("./node.cjs");

var source = path.join(__dirname, "..", "src", "main.ts");
var inCheckout = fs.existsSync(source);
var flags = ["--disable-warning=ExperimentalWarning"].concat(inCheckout ? ["--conditions=@dosimeter/source"] : []);
var main = inCheckout ? source : path.join(__dirname, "..", "dist", "main.js");
launcher.needInstalled(__dirname);
if (inCheckout) launcher.keepCompiled(path.join(__dirname, "..", "..", ".."));
launcher.become(launcher.findNode(__dirname), flags.concat([main], process.argv.slice(2)));
