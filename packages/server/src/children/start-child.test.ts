import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { startProcess } from "../measuring/measurer.ts";
import type { ChildLimits } from "./start-child.ts";

const SECRETS = {
  DATABASE_URL: "postgres://dosimeter:opensesame@db/dosimeter",
  PGPASSWORD: "opensesame",
  DOSIMETER_KEY_SECRET: "opensesame opensesame",
  NODE_OPTIONS: "--title=opensesame",
};

/** A process that has answered, so that it is what it will be. */
async function started(limits: ChildLimits = {}) {
  Object.assign(process.env, SECRETS);
  const child = startProcess(limits);
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  onTestFinished(() => void child.kill("SIGKILL"));
  child.ref();
  child.channel?.ref();
  child.send({ kind: "open", options: { files: { root: tmpdir() } } });
  child.send({ kind: "job", id: 1, job: { name: "probe", given: null } });
  expect((await once(child, "message"))[0]).toEqual({ id: 1, result: {} });
  return { child, of: (name: string) => readFile(`/proc/${child.pid}/${name}`, "utf8") };
}

test.skipIf(process.platform !== "linux")(
  "a process that reads what others wrote has none of the server's settings, gains no privilege and leaves no image",
  async () => {
    const { of } = await started();
    const environment = (await of("environ")).split("\0");
    expect(environment.join()).not.toContain("opensesame");
    expect(environment).toContain(`PATH=${process.env.PATH}`);
    expect(await of("limits")).toMatch(/Max core file size +0 +0 /);
    const hasSetpriv = spawnSync("/bin/sh", ["-c", "setpriv --no-new-privs true"]).status === 0;
    expect(await of("status")).toMatch(new RegExp(`NoNewPrivs:\\s+${Number(hasSetpriv)}`));
  },
);

test.skipIf(process.platform !== "linux")("it is held to its memory and its work by the system", async () => {
  const { of } = await started({ memory: 6e8, heap: 2e8, seconds: 50, threads: 10 });
  const limits = await of("limits");
  expect(limits).toMatch(/Max cpu time +50 /);
  const [, most = ""] = /Max data size +(\d+) /.exec(limits) ?? [];
  expect(Number(most)).toBeGreaterThanOrEqual(6e8 + 10 * 2 ** 23);
  expect(Number(most)).toBeLessThan(6e8 + 2 ** 30); // stacks, and addresses that Node sets apart for code
  expect(await of("cmdline")).toContain("--max-old-space-size=191");
});
