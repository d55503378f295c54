import { afterAll, describe, expect, test } from "vitest";
import { removeWorkFolder } from "./sources/calls.kit.ts";
import { closePlatform } from "./sources/platform.kit.ts";
import { documents, type SourceDocument } from "./sources/row.kit.ts";
import { sourceRows } from "./sources/rows.kit.ts";

afterAll(async () => {
  await closePlatform();
  removeWorkFolder();
});

describe.each(Object.entries(documents))("%s: %s", (document) => {
  test.each(sourceRows.filter((row) => row.document === (document as SourceDocument)))(
    "line $line: $says",
    async ({ walk, expected }) => {
      expect(await walk()).toBe(expected);
    },
  );
});
