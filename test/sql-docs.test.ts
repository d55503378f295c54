import { PrivacyError } from "@dosimeter/core";
import { boundPlan, planOfSql, readSql, sqlOfPlan } from "@dosimeter/query";
import { describe, expect, test } from "vitest";
import { adultsDeclaration } from "../packages/server/src/demo/declarations.ts";
import { blocksOf } from "./docs.kit.ts";

const blocks = blocksOf("docs/sql.md");

/** The plan of an example, bounded as a server would; ε = 1 where the text states none. */
function planned(sql: string) {
  const { plan, atItsPlace } = planOfSql(readSql(sql), adultsDeclaration, /epsilon/.test(sql) ? {} : { epsilon: "1" });
  try {
    boundPlan(plan, adultsDeclaration);
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
    expect(planOfSql(readSql(sqlOfPlan(plan, adultsDeclaration)), adultsDeclaration).plan).toEqual(plan);
  });
});
