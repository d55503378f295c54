import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedIn, stage, type Visit, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { type PageRow, pageRows, type Visitor } from "./sources/pages.kit.ts";
import { documents } from "./sources/row.kit.ts";
import { sourceRows } from "./sources/rows.kit.ts";

const reason = whyNoBrowser();
const nameOf = ({ document, line, says }: Pick<PageRow, "document" | "line" | "says">) =>
  `${document} ${line}: ${says}`;

test("every row of the walk that names a page is looked at in a browser", () => {
  const named = sourceRows.filter(({ where }) => /\bpage\b/.test(where)).map(nameOf);
  expect(pageRows.map(nameOf).toSorted()).toEqual(named.toSorted());
});

describe.skipIf(reason !== null)("the four documents, on the pages", () => {
  const demo = stage(openDemo);
  let visit: Visit;
  let visitor: Visitor;

  beforeAll(async () => {
    const { operator, url } = demo.host;
    const file = await operator.uploadFile({
      name: "few.csv",
      content: new TextEncoder().encode("person,age\n1,20\n"),
    });
    const { id: dataset } = await operator.createDataset({
      file: file.id,
      declaration: {
        name: "few",
        privacyUnit: { column: "person" },
        contribution: { rows: 1 },
        size: { assumed: 1000 },
        columns: { person: { type: "integer" }, age: { type: "integer", lower: 0, upper: 120 } },
      },
    });
    const { items } = await operator.listPeople();
    const ana = items.find(({ name }) => name.startsWith("Ana"));
    if (ana === undefined) throw new Error("no Ana among the people of the demo");
    await operator.grantRole({ person: ana.id, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });
    visit = await signedIn(demo, "Ana");
    const { page } = visit;
    const open = async (path: string): Promise<void> => {
      await page.goto(new URL(path, url).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    await open("/datasets");
    const adults = (await page.getByRole("link", { name: "adults", exact: true }).getAttribute("href")) ?? "";
    await setThreshold(adults, "0.15");
    visitor = {
      page,
      explore: (path) => open(`/explore/${path}`),
      adults: (part) => open(`${adults}${part}`),
      newLedger: () => open(`/datasets/${dataset}/open`),
    };
  });
  afterAll(() => visit.context.close());

  /** On the dataset's page, as its admin. */
  async function setThreshold(adults: string, epsilon: string): Promise<void> {
    const { page, context } = await signedIn(demo, "Dana");
    await page.goto(new URL(`${adults}?tab=governance`, demo.host.url).href);
    await page.getByText("Rule, overbooking, freezing").click();
    const field = page.getByLabel("Reports add up when one query has more ε than");
    await field.fill(epsilon);
    const set = page.waitForResponse((answer) => answer.url().endsWith("/settings"));
    await field.press("Tab");
    expect((await set).status()).toBe(200);
    await context.close();
  }

  test.each(pageRows.map((row) => [documents[row.document], row.line, row.says, row] as const))(
    "%s, line %d: %s",
    async (_, __, ___, { look, seen }) => {
      expect(await look(visitor)).toBe(seen);
    },
  );

  test("nothing went wrong on the way", () => {
    expect(visit.troubles).toEqual([]);
  });
});
