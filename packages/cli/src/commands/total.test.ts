import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { run } from "../program.ts";

const folder = temporaryFolder();

async function total(
  input: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const written = { out: "", err: "" };
  const into = (name: "out" | "err") =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
  const terminal = {
    in: Readable.from([input]),
    out: into("out"),
    err: into("err"),
    isInteractive: false,
    env: {},
    cwd: folder,
  };
  const code = await run(["total", ...args], terminal);
  return { code, ...written };
}

const list = "time,epsilon,delta,count\nmonday,0.05,0,150\ntuesday,0.05,0,50\n";

test("a CSV becomes a table of all accountants, with the least and AGENT's own number", async () => {
  const { code, out } = await total(list, "--delta", "1e-5", "--epsilon", "3");
  expect(code).toBe(0);
  expect(out).toMatch(/200 spends/);
  expect(out).toMatch(/Basic composition\t10\t/);
  expect(out).toMatch(/the least\t2\.91918 by Optimal/);
  expect(out).toMatch(/more like the last, by this report\t10/);
  expect(out).toMatch(/As AGENT reports it {2}epsilon 3\.90578, delta 0\.00001 \(advanced\)/);
  expect(out).toMatch(
    /more than epsilon 1, AGENT uses basic composition: --threshold .* dosimeter ledger set --threshold/,
  );
});

test("JSON in, JSON out, and charts of it", async () => {
  const spends = JSON.stringify([{ kind: "gaussian", noiseMultiplier: 5 }, [0.1, 1e-9, 3]]);
  const { out } = await total(spends, "--json", "--plot", "time.svg");
  expect(JSON.parse(out)).toMatchObject({ spends: 4, best: { method: "pld" }, adaptive: expect.any(Number) });
  expect(readFileSync(join(folder, "time.svg"), "utf8")).toContain("<svg");
  writeFileSync(join(folder, "spends.csv"), list);
  const { code } = await total("", "spends.csv", "--plot-agent", "agent.svg");
  expect(code).toBe(0);
  expect(readFileSync(join(folder, "agent.svg"), "utf8")).toContain("reported ε");
});

test.each([
  [["--delta", "x"], list, /--delta/],
  [["--plot", "picture.jpg"], list, /--plot/],
  [[], "epsilon\nmuch", /spends\[0\]\.epsilon/],
])("%j is refused", async (args, input, message) => {
  const { code, err } = await total(input, ...args);
  expect(code).not.toBe(0);
  expect(err).toMatch(message);
});
