import { createClient } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { callTool, quoted } from "./server.ts";

test("an unexpected error is reported, and is INTERNAL to the caller; a refusal is not a failure", async () => {
  const reported: unknown[] = [];
  const fails = async (error: Error) => {
    const client = createClient({ url: "http://localhost", fetch: () => Promise.reject(error) });
    const calling = { client, signal: AbortSignal.timeout(5000), failed: (error: unknown) => reported.push(error) };
    return JSON.stringify(await callTool("list_datasets", {}, calling));
  };
  const fault = new RangeError("a value of a row");
  const text = await fails(fault);
  expect(text).toContain("Refused: INTERNAL");
  expect(text).not.toContain(fault.message);
  expect(reported).toEqual([fault]);
  expect(await fails(new PrivacyError("FORBIDDEN"))).toContain("Refused: FORBIDDEN");
  expect(reported).toEqual([fault]);
});

test("characters that are not seen are escapes in what a model reads, and mean the same", () => {
  const unseen = "\u200b\u00ad\u034f\u115f\u1160\u17b4\u180b\u2065\u2800\u3164\ufe0f\uffa0\u{e0041}\u{e0100}\u{1d173}";
  const text = quoted({ name: `a${unseen}b` });
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual({ name: `a${unseen}b` });
  expect(quoted("Zoë 統計 🎲")).toBe('"Zoë 統計 🎲"');
});
