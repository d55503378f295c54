import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { stage, whyNoBrowser } from "./browser.kit.ts";
import { named, whyNoModule, whyNot } from "./clients.kit.ts";
import { commandEnv, root } from "./docs.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const execute = promisify(execFile);
const examples = join(root, "examples");
const [noPython, noBrowser, noTools] = [whyNot("python"), whyNoBrowser(), whyNoModule("opendp", "diffprivlib")];
const folder = temporaryFolder();
let env: Record<string, string>;

beforeAll(() => {
  env = { ...commandEnv(folder), TMPDIR: folder };
});

/** What a command prints; a minute more than the slowest takes on a busy machine. */
const printed = async (command: string, ...args: string[]) =>
  (await execute(command, args, { cwd: root, env, timeout: 180_000 })).stdout;

test("examples/README.md has a row for each project", () => {
  const projects = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const readme = readFileSync(join(examples, "README.md"), "utf8");
  for (const { name } of projects) expect(readme).toContain(`](${name}/`);
});

test("visits by month: the price, the error, and six months that fall", async () => {
  const said = await printed("sh", join(examples, "visits-by-month/run.sh"));
  expect(said).toContain("each of the 6 answers will be within ± 24 in 95 of 100 cases");
  const months = [...said.matchAll(/^2026-0\d\t(\d+)$/gm)].map(([, visits]) => Number(visits));
  expect(months).toHaveLength(6);
  // The two counts are some 720 apart: noise of scale 8 hides 220 of that less often than once in 10¹⁰ runs.
  expect(months[0]! - months[5]!).toBeGreaterThan(500);
});

test("tables of a census agree, and none is further off than released alone", async () => {
  const said = await printed("sh", join(examples, "census-tables/run.sh"));
  const ratios = [...said.matchAll(/^[a-z+]+ .* (\d\.\d\d)$/gm)].map(([, ratio]) => Number(ratio));
  expect(ratios).toHaveLength(5);
  expect(Math.max(...ratios)).toBeLessThanOrEqual(1);
  expect(said).toContain("Every table agrees with the finest one to a thousandth of a resident.");
  expect(said).toContain("Married children: 0. Smallest whole number: 0.");
});

test("an agent under a budget is refused, learns what fits, and stops at nothing left", async () => {
  const said = await printed("sh", join(examples, "agent-under-a-budget/run.sh"));
  expect(said).toContain("region = 'south', ε = 0.2: refused, QUOTA_EXHAUSTED. At most ε = 0.1 fits.");
  expect(said).toMatch(/region = 'south', ε = 0\.1: about \d+ people/);
  expect(said).toContain("I have ε = 0 left.");
});

test.skipIf(noPython !== null)(named("the notebook pays once", noPython), async () => {
  const said = await printed("sh", join(examples, "notebook/run.sh"));
  expect(said).toContain("left: 0.65");
  expect(said).toMatch(/graduate +[\d,]+ +[\d,]+ to [\d,]+/);
  expect(said).toContain("the same answers: True\nleft: 0.55");
});

test.skipIf(noTools !== null)(named("every tool pays from one ledger, until it is full", noTools), async () => {
  const said = await printed("sh", join(examples, "every-tool/run.sh"));
  expect([...said.matchAll(/; left: ε = (.*)$/gm)].map(([, left]) => left)).toEqual(["0.7", "0.4", "0.1"]);
  expect(said).toContain("OpenDP again, ε = 0.2: refused, BUDGET_EXHAUSTED. At most ε = 0.1 fits.");
  expect(said).toMatch(/^ok: ledger \S+ as of \S+, 4 lines replayed/m);
  expect(said).toMatch(/^ok: mass\/1, charged at /m);
});

test("what the scripts made is gone", () => {
  expect(readdirSync(folder)).toEqual(["bin"]);
});

describe.skipIf(noBrowser !== null)(named("the web page", noBrowser), () => {
  const at = stage(async () => ({
    url: pathToFileURL(join(examples, "web-page/index.html")).href,
    close: async () => {},
  }));

  test("computes from a folder, without a server", async () => {
    await printed(process.execPath, join(examples, "web-page/build.mjs"));
    const { page, troubles } = await at.visit();
    await page.goto(at.url);
    const said = page.locator("#said");
    await expect
      .poll(() => said.textContent())
      .toMatch(/^With ε = 0\.2 and 2000 people the average is within ± [\d.]+\.$/);
    const before = await said.textContent();
    await page.getByRole("slider", { name: "People" }).press("End");
    await expect.poll(() => said.textContent()).toMatch(/10000 people/);
    expect(await said.textContent()).not.toBe(before);
    await page.getByRole("img", { name: "The error of an average" }).waitFor();
    expect(troubles).toEqual([]);
  });
});
