import { expect, test } from "vitest";
import { PrivacyError } from "./error.ts";

test("an error says what is wrong, what was given and what is wanted", () => {
  const error = new PrivacyError("INVALID_PARAMETER", { name: "epsilon", got: -1, want: "> 0" });
  expect(error.message).toBe("epsilon is -1, must be > 0");
  expect(new PrivacyError("INVALID_PARAMETER", { name: "column" }).message).toBe("column is missing");
  expect(new PrivacyError("EMPTY_PLAN").message).toBe("a plan has no statistics");
});
