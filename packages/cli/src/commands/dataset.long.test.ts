import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

const dosimeter = (...args: readonly string[]) => said(args, { cwd });
const visits = (name: string, rows: string) =>
  writeFileSync(join(cwd, name), `# from the clinic, "as it is\n\nwho,seen\n${rows}# end\n`);

test("a file with comments is added, and another version and more rows are read as it is", async () => {
  visits("visits.csv", "a,2024-01-05\n");
  const seen = { type: "date", lower: "2024-01-01", upper: "2024-12-31" };
  const how = (comment?: string) => [
    "-d",
    JSON.stringify({
      source: { comment },
      privacyUnit: { column: "who" },
      contribution: { rows: 2 },
      blocks: { column: "seen", every: "month", zone: "UTC" },
      columns: { who: { type: "text" }, seen },
    }),
  ];
  const refused = await dosimeter("dataset", "add", "visits.csv", ...how());
  expect(refused.err).toContain("as many fields in every record as in the header");
  const bad = await dosimeter("dataset", "add", "visits.csv", ...how("##"));
  expect(bad.err).toContain("INVALID_PARAMETER");
  expect((await dosimeter("dataset", "add", "visits.csv", ...how("#"))).err).toBe("");

  visits("more.csv", '"#b",2024-02-05\nc,2024-03-05\n');
  const appended = await dosimeter("dataset", "append", "visits", "more.csv", "--block", "2024-02");
  expect(appended.out).toContain("Version 2 of visits: 1 row of 2024-02 came; 1 row of other blocks");
  const all = await dosimeter("dataset", "version", "visits", "more.csv");
  expect(all.out).toContain("Version 3 of visits");
});

test("a file whose header does not tell how it is written is added as it is said, and so is another version", async () => {
  writeFileSync(join(cwd, "cities.csv"), Buffer.from("who,age,city\n1,30,M\u00fcnchen\n2,-9,?\n", "latin1"));
  writeFileSync(
    join(cwd, "cities.yaml"),
    "privacyUnit: row\ncolumns:\n  age: {type: integer, lower: 0, upper: 100, missing: [-9, NA]}\n  city: {type: text, missing: ['?']}\n",
  );
  const how = ["-d", "cities.yaml"];
  expect((await dosimeter("dataset", "add", "cities.csv", ...how)).err).toContain("DATA_UNREADABLE");
  const wrong = await dosimeter("dataset", "add", "cities.csv", ...how, "--encoding", "latin9");
  expect(wrong.err).toContain("INVALID_PARAMETER");
  const added = await dosimeter("dataset", "add", "cities.csv", ...how, "--encoding", "windows-1252");
  expect(added.err).toBe("");
  expect(added.out).toMatch(/age\t\tinteger\t[^\n]*\tpossible, also -9, NA\t/);
  expect((await dosimeter("dataset", "version", "cities", "cities.csv")).err).toContain("DATA_UNREADABLE");
  const version = await dosimeter("dataset", "version", "cities", "cities.csv", "--encoding", "windows-1252");
  expect(version.out).toContain("Version 2 of cities");
});

test("what a statistical file says fills what its declaration leaves out; lines around a table are left out", async () => {
  const golden = join(import.meta.dirname, "../../../server/src/sources/convert/golden/people-118.dta");
  const columns = {
    person: {},
    sex: {},
    income: { lower: 0, upper: 1e6 },
    age: { type: "integer", lower: 0, upper: 99 },
  };
  const declaration = { privacyUnit: { column: "person" }, contribution: { rows: 1 }, columns };
  const added = await dosimeter("dataset", "add", golden, "-d", JSON.stringify(declaration), "--json");
  expect(added.err).toBe("");
  expect(JSON.parse(added.out).declaration.columns).toMatchObject({
    person: { type: "text", label: "Who" },
    sex: { type: "category", categories: [1, 2], valueLabels: { "1": "male", "2": "female" } },
    income: { type: "number", label: "Income" },
    age: { type: "integer", label: "Age" },
  });
  writeFileSync(join(cwd, "costs.csv"), "Costs of 2024\nwho;cost\n1;1.234,50\n2;7\nSource: us\n");
  const costs = {
    ...{ source: { numbers: "1.234,5" }, privacyUnit: "row" },
    columns: { cost: { type: "number", lower: 0, upper: 5000 } },
  };
  const how = ["dataset", "add", "costs.csv", "-d", JSON.stringify(costs)];
  expect((await dosimeter(...how)).err).toContain("(skip, footer)");
  expect((await dosimeter(...how, "--skip", "1", "--footer", "1")).err).toBe("");
});

test("the reports of a table of cohorts are over cohorts", async () => {
  visits("people.csv", "a,2022-01-05\nb,2023-01-05\n");
  const declaration = {
    source: { comment: "#" },
    privacyUnit: { column: "who" },
    contribution: { rows: 2 },
    blocks: { protects: "person", column: "seen", every: "year", zone: "UTC" },
    columns: { who: { type: "text" }, seen: { type: "date", lower: "2022-01-01", upper: "2023-12-31" } },
  };
  expect((await dosimeter("dataset", "add", "people.csv", "-d", JSON.stringify(declaration))).err).toBe("");
  expect((await dosimeter("ledger", "open", "people", "--epsilon", "4", "--delta", "1e-6")).code).toBe(0);
  const me = JSON.parse((await dosimeter("person", "list", "--json")).out)[0].name;
  expect((await dosimeter("account", "create", "people", "--person", me, "--epsilon", "2")).err).toBe("");
  // A profile and a made-up table are over blocks as well.
  expect((await dosimeter("profile", "people", "--epsilon", "0.1")).err).toContain("--over is missing");
  for (const asked of [
    ["profile", "people"],
    ["synthesize", "people"],
  ]) {
    const quoted = await dosimeter(...asked, "--epsilon", "0.1", "--over", "latest 2", "--quote", "--json");
    expect(quoted.out || quoted.err).toContain('"epsilon": "0.1"');
  }

  const asked = ["-s", "count epsilon=0.5", "--latest", "2"];
  const made = await dosimeter("report", "schedule", "people", "--name", "People", "--from", "2023", ...asked);
  expect(made.err).toBe("");
  const [, schedule = ""] = /^schedule\s+(\S+)$/m.exec(made.out) ?? [];
  const paused = await dosimeter("report", "pause", schedule);
  for (const { out } of [made, paused, await dosimeter("report", "series", schedule)]) {
    expect(out).toContain("from each of 2 cohorts");
    expect(out).toContain("in every cohort: it pays for 2 reports");
  }
  expect((await dosimeter("report", "schedules", "people")).out).toMatch(/\tPeople\t.*\t2\t/);
});
