// Plain JavaScript that parses on Node 18: finds a Node that can run Dosimeter, or says what to do.
"use strict";
var fs = require("node:fs");
var path = require("node:path");
var childProcess = require("node:child_process");
var url = require("node:url");

// A package carries its sources too, for source maps; only a checkout has the compiler's settings.
var inCheckout = fs.existsSync(path.join(__dirname, "..", "tsconfig.json"));
var wanted = [24, 10];

function isEnough(version) {
  var parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > wanted[0] || (parts[0] === wanted[0] && parts[1] >= wanted[1]);
}

/** The Node that `npm ci` installed next to us, walking up from `from`; undefined where there is none that starts. */
function localNode(from) {
  var name = process.platform === "win32" ? "node.exe" : "node";
  var native = "node-" + (process.platform === "win32" ? "win" : process.platform) + "-" + process.arch;
  for (var dir = from; ; dir = path.dirname(dir)) {
    var candidates = [
      path.join(dir, "node_modules", "node", "bin", name),
      path.join(dir, "node_modules", native, "bin", name),
      path.join(dir, "node_modules", "node", "node_modules", native, "bin", name),
    ];
    for (var i = 0; i < candidates.length; i++) {
      if (fs.existsSync(candidates[i])) return candidates[i];
    }
    if (path.dirname(dir) === dir) return undefined;
  }
}

/** A Node that is new enough: the local one first, then the one that runs this; exits with advice where there is neither. */
function findNode(from) {
  var local = localNode(from);
  if (local) return local;
  if (isEnough(process.versions.node)) return process.execPath;
  console.error(
    "dosimeter: Node is " +
      process.version +
      ", must be v" +
      wanted.join(".") +
      " or newer.\n" +
      (inCheckout
        ? "  Either run `npm ci` here without --omit=dev and --ignore-scripts: it brings its own Node 24,\n" +
          "  or install Node 24 (https://nodejs.org) and try again."
        : "  Install Node 24 (https://nodejs.org) and try again."),
  );
  process.exit(1);
}

/** Lets Node keep what it compiled next to the dependencies of `root`: the second start of a checkout takes half the time. */
function keepCompiled(root) {
  if (!process.env.NODE_COMPILE_CACHE) {
    process.env.NODE_COMPILE_CACHE = path.join(root, "node_modules", ".cache", "dosimeter");
  }
}

/** Runs a module in this process, without Node's warnings of what is experimental; `cache` keeps what Node compiled. */
function runHere(main, cache) {
  var warn = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", function (warning) {
    if (warning.name === "ExperimentalWarning") return;
    warn.forEach(function (say) {
      say(warning);
    });
  });
  process.execArgv.push("--disable-warning=ExperimentalWarning"); // for the threads and processes that it starts
  // A folder that only those can write who can write the program; where this user cannot, nothing is kept.
  require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE || cache);
  var running = import(url.pathToFileURL(main).href);
  running.catch(function (error) {
    console.error(error);
    process.exit(1);
  });
}

/** Becomes `node args…`: replaces this process where the platform can, else runs a child and forwards signals. */
function become(node, args) {
  if (node === process.execPath || isEnough(process.versions.node)) {
    if (typeof process.execve === "function" && process.platform !== "win32") {
      process.removeAllListeners("warning");
      process.on("warning", function () {});
      process.execve(node, [node].concat(args), process.env);
    }
  }
  var child;
  var missed = [];
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    // Before the child starts: it may run, and someone may want it stopped, before `spawn` returns.
    // At a terminal the child hears Ctrl-C by itself as well; what it runs takes a second one for the same wish.
    process.on(signal, function () {
      if (child) child.kill(signal);
      else missed.push(signal);
    });
  });
  child = childProcess.spawn(node, args, { stdio: "inherit" });
  missed.forEach(function (signal) {
    child.kill(signal);
  });
  child.on("exit", function (code, signal) {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exit(code === null ? 1 : code);
  });
}

/** Exits with advice where `npm ci` has not been run in the checkout that `from` is in. */
function needInstalled(from) {
  for (var dir = from; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, "node_modules", "commander", "package.json"))) return;
    if (path.dirname(dir) === dir) break;
  }
  console.error("dosimeter: its dependencies are not installed. Run `npm ci` first.");
  process.exit(1);
}

module.exports = {
  inCheckout: inCheckout,
  findNode: findNode,
  become: become,
  runHere: runHere,
  isEnough: isEnough,
  needInstalled: needInstalled,
  keepCompiled: keepCompiled,
};
