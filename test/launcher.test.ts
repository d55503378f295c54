import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./folder.kit.ts";

const root = join(import.meta.dirname, "..");
const folder = temporaryFolder();

const first = [
  "packages/dosimeter/bin/dosimeter.cjs",
  "packages/dosimeter/bin/node.cjs",
  "scripts/start.cjs",
  "scripts/run.cjs",
];

test.each(first)("%s is plain JavaScript that an old Node parses", async (file) => {
  const { transformWithOxc } = await import("vite");
  const code = readFileSync(join(root, file), "utf8").replace(/^#!.*/, "");
  const as = async (target: string) => (await transformWithOxc(code, "x.cjs", { target, sourcemap: false })).code;
  // Lowering to the syntax of 2017 does not change it, and it uses no `import`.
  expect(await as("es2017")).toBe(await as("esnext"));
  expect(code).not.toMatch(/^\s*(import|export)\b/m);
});

test("the check above sees newer syntax", async () => {
  const { transformWithOxc } = await import("vite");
  const as = async (target: string) => (await transformWithOxc("x = a?.b;", "x.cjs", { target })).code;
  expect(await as("es2017")).not.toBe(await as("esnext"));
});

/** A checkout that holds the launchers and, in `node_modules`, only what the test puts there. */
function checkout(name: string, modules: Readonly<Record<string, string>>): string {
  const home = join(folder, name);
  for (const file of [...first, "packages/dosimeter/tsconfig.json"]) cpSync(join(root, file), join(home, file));
  for (const [path, content] of Object.entries(modules)) {
    mkdirSync(join(home, "node_modules", path, ".."), { recursive: true });
    writeFileSync(join(home, "node_modules", path), content);
    chmodSync(join(home, "node_modules", path), 0o755);
  }
  return home;
}

const installed = { "commander/package.json": "{}" };
const oldNode = join(folder, "old.cjs");
writeFileSync(
  oldNode,
  `Object.defineProperty(process, "version", { value: "v18.20.0" });
   Object.defineProperty(process.versions, "node", { value: "18.20.0" });
   process.execve = undefined;`,
);

function start(home: string, script: string, args: readonly string[] = []): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-r", oldNode, join(home, script), ...args], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, text: stdout + stderr };
}

test.each(["packages/dosimeter/bin/dosimeter.cjs", "scripts/start.cjs"])(
  "%s without `npm ci` says to run it",
  (script) => {
    const { status, text } = start(checkout("empty", {}), script);
    expect(status).toBe(1);
    expect(text).toMatch(/Run `npm ci` first/);
  },
);

test.each(["packages/dosimeter/bin/dosimeter.cjs", "scripts/start.cjs"])(
  "%s on an old Node without a local one says what to do (--omit=dev, --ignore-scripts)",
  (script) => {
    const { status, text } = start(checkout("scriptless", installed), script);
    expect(status).toBe(1);
    expect(text).toMatch(/Node is v18\.20\.0, must be v\d+\.\d+ or newer/);
    expect(text).toMatch(/without --omit=dev and --ignore-scripts/);
    expect(text).not.toMatch(/at .*\.cjs:\d+/);
  },
);

test("an installed package on an old Node does not name the commands of a checkout", () => {
  const home = checkout("package", {});
  rmSync(join(home, "packages/dosimeter/tsconfig.json"));
  const { status, text } = start(home, "packages/dosimeter/bin/dosimeter.cjs");
  expect(status).toBe(1);
  expect(text).toMatch(/must be .*\n {2}Install Node 24/);
  expect(text).not.toContain("npm ci");
});

test("the oldest Node is the one of the types, so that a newer call does not compile", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const [oldest] = /^\d+\.\d+/.exec(read("node_modules/@types/node").version) ?? [];
  for (const path of [".", "packages/cli", "packages/server", "packages/dosimeter"])
    expect(read(path).engines.node, path).toBe(`>=${oldest}`);
  const { text } = start(checkout("oldest", installed), "packages/dosimeter/bin/dosimeter.cjs");
  expect(text).toContain(`must be v${oldest} or newer`);
});

test("a development tool that --omit=dev left out is named", () => {
  const { status, text } = start(checkout("omitted", installed), "scripts/run.cjs", ["vitest"]);
  expect(status).toBe(1);
  expect(text).toMatch(/vitest is not installed\. Run `npm ci` \(without --omit=dev\)/);
});

const FAKE_NODE = `#!/bin/sh\nif [ "$FAKE" = wait ]; then trap 'echo stopped; exit 7' TERM INT; echo ready; while :; do sleep 0.05; done; fi\necho "args:$*"\nexit 3\n`;
const locals = {
  "node/bin/node": FAKE_NODE,
  [`node-${process.platform}-${process.arch}/bin/node`]: FAKE_NODE,
};

test.skipIf(process.platform === "win32").each(Object.keys(locals))(
  "an old Node hands over to node_modules/%s, with arguments and exit code",
  (path) => {
    const home = checkout(path.replaceAll("/", "-"), { ...installed, [path]: FAKE_NODE });
    const { status, text } = start(home, "packages/dosimeter/bin/dosimeter.cjs", ["calc", "--list"]);
    expect(text).toMatch(/args:.*(main\.ts|command\.js) calc --list/);
    expect(status).toBe(3);
  },
);

test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "%s reaches what the old Node started",
  async (signal) => {
    const home = checkout("signals", { ...installed, "node/bin/node": FAKE_NODE });
    const child = spawn(process.execPath, ["-r", oldNode, join(home, "packages/dosimeter/bin/dosimeter.cjs")], {
      env: { ...process.env, FAKE: "wait" },
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    let text = "";
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.stdout.on("data", (data) => {
      text += data;
      if (String(data).includes("ready")) child.kill(signal);
    });
    expect(await ended).toBe(7);
    expect(text).toContain("stopped");
  },
);
