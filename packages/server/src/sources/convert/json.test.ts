import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { convertJson } from "./json.ts";
import { openTableWriter } from "./table-writer.ts";

const place = temporaryFolder();

async function convert(text: string): Promise<string> {
  const [from, to] = [join(place, "t.json"), join(place, "t.csv")];
  await writeFile(from, text);
  await rm(to, { force: true });
  const writer = openTableWriter(to, { largest: 1e6 });
  try {
    await convertJson(from, writer);
    writer.end();
  } finally {
    writer.close();
  }
  return readFile(to, "utf8");
}

test.each([
  ["in one line", '{"a":1,"a":2}', 1, "a"],
  ["in the third of them", '{"a":1}\n{"a":2}\n{"a":3,"b":4,"a":5}\n', 3, "a"],
  ["written in another way", '[{"b":0},\n{"a":1,\n\n"\\u0061" : 2}]', 4, "a"],
  ["of which the first holds an object", '{"a":{"b":1},"a":2}', 1, "a"],
  ["of nothing", '{"":1,\n"":1}', 2, ""],
  ["called as what objects inherit", '{"constructor":1,"toString":1,"constructor":1}', 1, "constructor"],
])("a key that an object has twice, %s, is refused with its line", async (_, text, line, key) => {
  await expect(convert(text)).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    details: { got: key, want: expect.stringContaining(`line ${line} has one twice`) },
  });
});

test("what only looks like a second key is none", async () => {
  const text = '{"a":"a","b":"\\"a\\":1","c":"{\\"a\\":1}","A":"b: \\\\"}\n{"toString":1,"a":"x","constructor":2}';
  expect(await convert(text)).toBe(
    '"a","b","c","A","toString","constructor"\na,"""a"":1","{""a"":1}",b: \\,,\nx,,,,1,2\n',
  );
});

test.each([
  '{"__proto__":1}',
  '{"a":{"__proto__":{"b":1}}}',
  '{"\\u005f_proto__":{"b":1},"a":1}',
  '{"a":[{"__proto__":1}]}',
])("%s is refused and changes no object", async (text) => {
  await expect(convert(text)).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  expect(({} as { readonly b?: unknown }).b).toBeUndefined();
});
