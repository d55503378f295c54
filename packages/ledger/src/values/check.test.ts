import { expect, test } from "vitest";
import { checkInstant } from "./check.ts";

test("a day that no calendar has is refused, not moved into the next month", () => {
  for (const value of ["2027-02-30T00:00:00Z", "2027-02-29", "2027-04-31T12:00:00+02:00", "tomorrow", "+010000-01-01"])
    expect(() => checkInstant(value, "expiresAt"), value).toThrow("expiresAt");
  expect(checkInstant("2028-02-29", "at")).toBe("2028-02-29T00:00:00.000Z");
  expect(checkInstant("2027-03-01T00:00:00+14:00", "at")).toBe("2027-02-28T10:00:00.000Z");
  expect(checkInstant("1970-01-01T00:00:00Z", "at")).toBe("1970-01-01T00:00:00.000Z");
});
