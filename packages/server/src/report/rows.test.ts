import { askRows, type ReleasedTable } from "@dosimeter/query/statistics";
import { beforeAll, expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { countPlan, csvBytes, declaration, ORIGIN } from "../instance.kit.ts";

const fixture = fixtureOf();
let release = "";
beforeAll(async () => {
  // As many rows as it takes that no noise empties the table or leaves one cell of it.
  const people = Array.from({ length: 5000 }, (_, n) => `${n + 1},${18 + (n % 70)},${n % 2 === 0 ? "f" : "m"},1`);
  const content = csvBytes(`person,age,sex,salary\n${people.join("\n")}\n`);
  const file = await fixture.as.datasetAdmin.uploadFile({ name: "staff.csv", content });
  const larger = { ...declaration, mostRows: 5000 };
  await fixture.as.datasetAdmin.createVersion({ dataset: fixture.dataset, file: file.id, declaration: larger });
  const made = await fixture.as.member.releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: { statistics: [{ statistic: "syntheticTable", with: ["sex", "age"], bins: 5, epsilon: "0.5" }] },
  });
  release = made.id;
});

async function rows(query: string, of = release): Promise<Response> {
  const headers = { authorization: `Bearer ${fixture.tokens.member}` };
  return fixture.instance.fetch(new Request(`${ORIGIN}/v1/releases/${of}/rows${query}`, { headers }));
}
const lines = async (query: string): Promise<readonly string[]> =>
  (await (await rows(query)).text()).trimEnd().split("\n");

test("one charge, then any rows for free, the same for the same seed", async () => {
  const before = await fixture.as.member.showAccount({ account: fixture.memberAccount });
  const [head, ...some] = await lines("?rows=500&seed=3");
  expect(head).toBe("sex,age");
  expect(some).toHaveLength(500);
  expect(await lines("?rows=500&seed=3")).toEqual([head, ...some]);
  expect(await lines("?rows=500&seed=4")).not.toEqual([head, ...some]);
  expect(some.every((line) => /^(f|m|),(\d+|)$/.test(line))).toBe(true);
  expect((await lines("")).length).toBeGreaterThan(1);
  const after = await fixture.as.member.showAccount({ account: fixture.memberAccount });
  expect(after.balance).toEqual(before.balance);
  const { answers, receipt } = await fixture.as.member.showRelease({ release });
  expect(receipt?.epsilon).toBe("0.5");
  expect(answers?.[0]?.table?.columns.map(({ name }) => name)).toEqual(["sex", "age"]);
});

test("as Parquet: named and marked as such; another format is refused", async () => {
  const response = await rows("?rows=500&seed=3&format=parquet");
  expect(response.headers.get("content-type")).toBe("application/vnd.apache.parquet");
  expect(response.headers.get("content-disposition")).toContain(`synthetic-${release}.parquet`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const mark = (from: number, to?: number): string => new TextDecoder().decode(bytes.slice(from, to));
  expect([mark(0, 4), mark(-4)]).toEqual(["PAR1", "PAR1"]);
  const plain = await rows("?rows=5");
  expect([plain.headers.get("content-type"), (await plain.text()).split("\n").length]).toEqual(["text/csv", 7]);
  expect((await rows("?rows=5&format=xls")).status).toBe(400);
});

test("refused: too many rows, a seed that is none, a release without a table, an answer that is none", async () => {
  const counted = await fixture.as.member.releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: countPlan("0.01"),
  });
  for (const response of [
    await rows("?rows=100001"),
    await rows("?rows=0"),
    await rows("?seed=-1"),
    await rows("?row=nowhere"),
    await rows("", counted.id),
  ])
    expect(response.status).toBe(400);
});

test("a condition is counted in made-up rows for free, with what that is worth, the same as on the command line", async () => {
  const before = await fixture.as.member.showAccount({ account: fixture.memberAccount });
  const asked = { release, where: "age < 40 and sex = 'f'", mean: "age" };
  const answer = await fixture.as.member.askSyntheticRows(asked);
  expect(answer.count).toBeGreaterThan(0);
  expect(answer.count).toBeLessThan(answer.rows);
  expect(answer.mean).toBeLessThan(40);
  expect(answer.notes[0]).toMatch(/^Made-up rows were counted: this is free/);
  const { answers } = await fixture.as.member.showRelease({ release });
  expect(askRows(answers?.[0]?.table as unknown as ReleasedTable, asked)).toEqual(answer);
  expect((await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance).toEqual(before.balance);
  for (const wrong of [
    { release },
    { release, where: "height > 3" },
    { release, mean: "sex" },
    { release, where: "age <" },
  ])
    await expect(fixture.as.member.askSyntheticRows(wrong)).rejects.toMatchObject({
      code: expect.stringMatching(/^(INVALID_PARAMETER|UNKNOWN_COLUMN)$/),
    });
});

test("of one person two are made or read at once; a reader who leaves or is done makes room", async () => {
  const [first, second] = await Promise.all([rows("?rows=100000"), rows("?rows=100000")]);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await rows("?rows=5")).status).toBe(429);
  await first.body?.cancel();
  expect((await rows("?rows=5")).status).toBe(200);
  expect((await second.text()).split("\n")).toHaveLength(100_002);
  expect((await rows("?rows=5")).status).toBe(200);
});
