import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const folder = temporaryFolder();

const of = async (name: string, text: string | Uint8Array, ...more: readonly string[]) => {
  await writeFile(join(folder, name), text);
  return said([...more, "code-book", join(folder, name)], {});
};

test("a code book becomes the columns of a declaration, as YAML or JSON", async () => {
  const ddi = `<codeBook><dataDscr><var name="sex"><labl>Sex</labl><catgry><catValu>1</catValu><labl>male</labl></catgry>
    <catgry><catValu>2</catValu><labl>female</labl></catgry></var></dataDscr></codeBook>`;
  const { out } = await of("survey.xml", ddi);
  expect(out).toBe(
    'columns:\n  sex:\n    type: category\n    categories:\n      - 1\n      - 2\n    valueLabels:\n      "1": male\n      "2": female\n    label: Sex\n',
  );
  const json = await of("lines.txt", "age  Age  0-120 years\n", "--json");
  expect(JSON.parse(json.out)).toEqual({
    columns: { age: { type: "integer", lower: 0, upper: 120, label: "Age", unit: "years" } },
  });
});

test("what is no code book, or in no encoding that it names, is refused", async () => {
  expect((await of("latin.txt", Uint8Array.from([0x61, 0x20, 0xe4]))).err).toContain("must be saved as UTF-8");
  expect((await of("page.html", "<html/>")).err).toContain("this says nothing of a column");
});
