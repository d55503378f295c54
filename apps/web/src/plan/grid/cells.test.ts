import { checkDeclaration } from "@dosimeter/query/declaration";
import { expect, test } from "vitest";
import { openWorkbench, rowsOf, withNewRow } from "../workbench.ts";
import { errorField, formatError, gradeText, nextHold, plain } from "./cells.ts";

test.each([
  [0.29955, "0.3"],
  [0.29812, "0.299"],
  [0.5, "0.5"],
  [0.49999999, "0.5"],
  [2995.7322, "3000"],
  [1234567, "1240000"],
  [0, "0"],
])("an error of %d is shown as %s, never less", (value, text) => {
  expect(plain(value)).toBe(text);
  expect(Number(plain(value))).toBeGreaterThanOrEqual(value);
});

test("space cycles free, share held, error held; a soft pin becomes a hold", () => {
  expect(nextHold("free")).toBe("share");
  expect(nextHold("share")).toBe("error");
  expect(nextHold("error")).toBe("free");
  expect(nextHold("soft")).toBe("share");
});

test("a grade names what it is measured by, and one error reads the same where it is edited", () => {
  const declaration = checkDeclaration({
    name: "people",
    source: { csv: "p.csv" },
    privacyUnit: "row",
    size: { assumed: 20_000 },
    columns: { income: { type: "number", lower: 0, upper: 200_000 } },
  });
  const [mean, count] = rowsOf(
    ["mean", "count"].reduce(
      (bench, statistic) => withNewRow(bench, { statistic, ...(statistic === "mean" ? { column: "income" } : {}) }),
      openWorkbench(declaration, "0.02"),
    ),
  );
  expect(mean === undefined ? null : gradeText(mean, "$")).toMatch(
    /^(Good|Fair|Poor): ± \$[\d,]+ is [\d.]+ % of \$10,000, a twentieth of the declared range\.$/,
  );
  expect(count === undefined ? null : gradeText(count, null)).toMatch(
    /, the declared number of rows ÷ groups and bins\.$/,
  );
  expect(count === undefined ? null : gradeText({ ...count, target: 50 }, null)).toMatch(/ of 50, your target\.$/);
  for (const error of [0.29812, 53, 53.2, 1997, 2000])
    expect(formatError(error).replaceAll(",", "")).toBe(errorField(error));
  expect([53, 1997, 1999.5].map((error) => formatError(error))).toEqual(["53", "2,000", "2,000"]);
});
