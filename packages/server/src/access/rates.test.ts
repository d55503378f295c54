import { expect, test } from "vitest";
import { openRates, usualRates } from "./rates.ts";

test("a burst, then so many a minute, and nobody pays for somebody else", async () => {
  let time = 0;
  const rates = openRates({ ...usualRates, mail: { burst: 2, perMinute: 6 } }, { now: () => time });
  await rates.take("mail", "a");
  await rates.take("mail", "a");
  await expect(rates.take("mail", "a")).rejects.toThrowError(/10 s/);
  await rates.take("mail", "b");
  time += 9_000;
  await expect(rates.take("mail", "a")).rejects.toThrowError(expect.objectContaining({ code: "RATE_LIMITED" }));
  time += 1_001;
  rates.check("mail", "a");
  await rates.take("mail", "a");
  expect(() => rates.check("mail", "a")).toThrow();
});
