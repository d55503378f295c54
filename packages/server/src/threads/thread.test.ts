import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** A server with as many open files as it may have, which asks a process that does not start, and then one that does. */
const SCRIPT = `
import { closeSync, openSync } from "node:fs";
const { openThread } = await import(${JSON.stringify(new URL("./thread.ts", import.meta.url).href)});
const thread = openThread("../ship/ship.worker", ${JSON.stringify(import.meta.url)}, { isProcess: true });
const stays = setInterval(() => undefined, 1000);
const open = [];
try { for (;;) open.push(openSync("/dev/null", "r")); } catch {}
closeSync(open.pop());
const first = thread.ask({}).catch(({ code }) => code);
for (const file of open) closeSync(file);
console.log(await first);
await new Promise((resolve) => setTimeout(resolve, 100));
console.log(JSON.stringify(await thread.ask({})));
await thread.close();
console.log("closed");
clearInterval(stays);`;

test.skipIf(process.platform !== "linux")(
  "a process that cannot be started rejects what it was asked, and the next one is started",
  () => {
    const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", SCRIPT];
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", 'ulimit -n 60; exec "$@"', "sh", ...node], {
      encoding: "utf8",
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'EMFILE\n{"problem":"OTHER"}\nclosed\n', stderr: "" });
  },
);
