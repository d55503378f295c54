import { expect, test } from "vitest";
import { openRates, usualRates } from "./rates.ts";

test("a burst, then so many a minute, and nobody pays for somebody else", () => {
  let time = 0;
  const rates = openRates({ ...usualRates, mail: { burst: 2, perMinute: 6 } }, () => time);
  rates.take("mail", "a");
  rates.take("mail", "a");
  expect(() => rates.take("mail", "a")).toThrowError(/10 s/);
  rates.take("mail", "b");
  time += 9_000;
  expect(() => rates.take("mail", "a")).toThrowError(expect.objectContaining({ code: "RATE_LIMITED" }));
  time += 1_001;
  rates.check("mail", "a");
  rates.take("mail", "a");
  expect(() => rates.check("mail", "a")).toThrow();
});
