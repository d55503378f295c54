import { PrivacyError } from "@dosimeter/core";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { planOfSql, readSql, sqlOfPlan } from "@dosimeter/sql-text";
import { describe, expect, test } from "vitest";
import { adultsDeclaration } from "../packages/server/src/demo/declarations.ts";
import { blocksOf } from "./docs.kit.ts";

const blocks = blocksOf("docs/sql.md");

const visits = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 5 },
  columns: {
    person: adultsDeclaration.columns.person,
    ward: { type: "category", categories: ["north", "south"] },
    age: { type: "integer", lower: 18, upper: 93 },
  },
});
const declaration = { ...adultsDeclaration, joinable: { dat_visits: { version: 1, declaration: visits } } };

/** The plan of an example, bounded as a server would; ε = 1 where the text states none. */
function planned(sql: string) {
  const { plan, atItsPlace } = planOfSql(readSql(sql), declaration, /epsilon/.test(sql) ? {} : { epsilon: "1" });
  try {
    boundPlan(plan, declaration);
  } catch (error) {
    atItsPlace(error);
  }
  return plan;
}

function refusal(sql: string): string {
  try {
    planned(sql);
    return "";
  } catch (error) {
    if (error instanceof PrivacyError) return error.message;
    throw error;
  }
}

describe("the examples of docs/sql.md are about the demo's adults, and do what the page says", () => {
  const examples = blocks.flatMap((block, index) =>
    block.language === "sql" ? [{ ...block, next: blocks[index + 1] }] : [],
  );
  test.each(examples)("$code", ({ code, info, next }) => {
    if (info === "refused") return expect(refusal(code)).toBe(next?.code.trim());
    const plan = planned(code);
    expect(planOfSql(readSql(sqlOfPlan(plan, declaration)), declaration).plan).toEqual(plan);
  });
});
