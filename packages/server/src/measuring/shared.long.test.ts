import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { within } from "../../../../test/within.kit.ts";
import { openMeasurer } from "./measurer.ts";
import { inSharedProcess } from "./shared.kit.ts";

test("a shared process that does not close one of its measurers is killed, and another is started", async () => {
  const pids: (number | undefined)[] = [];
  const open = () =>
    openMeasurer({ files: { root: tmpdir() } }, () => {
      const begun = inSharedProcess(50);
      pids.push(begun.pid);
      return begun;
    });
  const measurer = open();
  await within("the first job", measurer.run("probe", null));
  process.kill(Number(pids[0]), "SIGSTOP");
  await within("the end of a process that does nothing", measurer.close());
  const next = open();
  await within("a job of the next one", next.run("probe", null));
  expect(pids[1]).not.toBe(pids[0]);
  await within("its end", next.close());
});
