import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const months = ["simulate", "--for", "24 months", "--epsilon", "1"];
const report = ["--report", "research: 0.05 over 12"];

test("24 months, three teams: what a lifetime and what blocks refuse first", async () => {
  const teams = ["research 50%", "press 30%", "city 0.2"].flatMap((team) => ["--team", team]);
  const asked = [...months, ...teams, ...report, "--report", "press: 0.1 every 3", "--report", "city: 0.3"];
  const { code, out } = await said(asked);
  expect(code).toBe(0);
  expect(out).toContain("one lifetime\tresearch\t13\t10\tmonth 22");
  expect(out).toContain("each month\tresearch\t13\t11\tmonth 22");
  expect(out).toContain("one lifetime\tpress\t8\t3\tmonth 12");
  expect(out).toContain("each month\tpress\t8\t8\tnone");
  expect(out).toContain(
    "With a budget for each month research is refused first in month 22 and gets 11 of 13 reports;",
  );
  const json = JSON.parse((await said([...asked, "--json"])).out);
  expect(json.blocks.teams[2]).toEqual({ team: "city", due: 24, paid: 0, firstRefusal: { block: 1, report: 2 } });
  expect(json.blocks.used).toHaveLength(24);
});

test("a plan of several answers, and a picture", async () => {
  const folder = temporaryFolder();
  const plot = join(folder, "course.svg");
  const tight = ["--rule", "tight", "--team", "a 100%", "--report", "a: 0.05 + gaussian 30 over 3", "--plot", plot];
  const { code, out } = await said([...months, ...tight, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out).lifetime.teams[0]).toMatchObject({ due: 22, team: "a" });
  expect(await readFile(plot, "utf8")).toContain("One lifetime against blocks");
});

test("a running total that goes on pays for its part in each month, once", async () => {
  const teams = ["--rule", "tight", "--team", "press 100%", "--report", "press: gaussian 20 horizon 24"];
  const { code, out } = await said([...months, ...teams]);
  expect(code).toBe(0);
  expect(out).toMatch(/one lifetime\tpress\t24\t\d+\tmonth \d+/);
  expect(out).toContain("each month\tpress\t24\t24\tnone");
});

test.each([
  [["--for", "24"], "--for is"],
  [["--for", "24 moons"], "--for is"],
  [["--for", "1000000 days"], '--for is "1000000 days", must be from 1 to 10000 days'],
  [["--for", "0 months"], '--for is "0 months"'],
  [["--epsilon", "0"], "epsilon is"],
  [["--rule", "additionThenTight"], "blocks switch to no other rule"],
  [["--rule", "loose"], "--rule is"],
  [["--team", "a"], "--team is"],
  [["--team", "b 120%"], "at most the budget"],
  [["--report", "a: 0.1 over 99"], "reports[1].latest is 99"],
  [["--report", "a: lots"], "--report is"],
  [["--report", "a: 0.1 horizon 12"], "only Gaussian noise goes on"],
  [["--report", "a: gaussian 30 every 2 horizon 12"], "reports[1].every is 2"],
  [["--report", "b: 0.1"], "one of the teams"],
  [["--plot", "course.pdf"], "--plot is"],
])("%j is refused", async (more, message) => {
  const { code, out, err } = await said([...months, "--team", "a 50%", "--report", "a: 0.1", ...more]);
  expect(err).toContain(message);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});
