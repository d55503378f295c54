import { expect, test } from "vitest";
import { messagesIn } from "../scripts/strings.ts";
import { findings } from "../scripts/words.ts";

const found = (file: string, text: string) => findings(file, text).map(({ line, found: name }) => `${line} ${name}`);

test("names are split at capitals and underscores; fields that stay are allowed", () => {
  const code = "const openHouse = 1;\nconst { lawOf, entryLaw } = row;\nconst MOST_ROWS = 2, household = 3;\n";
  expect(found("packages/ledger/src/x.ts", code)).toEqual(["1 openHouse", "2 entryLaw", "3 MOST_ROWS"]);
  expect(found("packages/core/src/town.kit.ts", "")).toEqual(["1 town"]);
});

test("comments are read everywhere, strings where they are shown to people: not in tests, not in SQL", () => {
  const inner = `$\{a === "\`" ? "a house" : house}`;
  const code = `const a = "for nobody"; // whoever\nconst b = \`told ${inner} beside\`; /* so\n many */\n`;
  expect(found("packages/core/src/x.test.ts", code)).toEqual(["2 house", "1 whoever", "2 so\n many"]);
  for (const file of ["apps/web/src/x.ts", "packages/core/src/x.ts"])
    expect(found(file, code).toSorted()).toEqual(
      ["1 nobody", "1 whoever", "2 beside", "2 house", "2 house", "2 so\n many", "2 told"].toSorted(),
    );
  const sql = `const sql = \`UPDATE ledger SET lane = ? WHERE $\{one} AND residue = 1\`;\nconst want = \`a lane $\{one}\`;\n`;
  expect(found("packages/ledger/src/x.ts", sql)).toEqual(["2 lane"]);
});

test("a string of one small word is a field or a kind; of JSX what stands between tags is read, not its code", () => {
  expect(found("apps/web/src/x.ts", 'const row: Pick<Balance, "lane"> = of("residue");')).toEqual([]);
  const code = "const a = <p title={x.told}>What nobody has of {b.told}</p>;\n";
  expect(found("apps/web/src/x.tsx", code)).toEqual(["1 nobody"]);
});

test("documents are read without blocks, code and titles of tests", () => {
  const page = "# Whoever\n\n```sh\nhouse\n```\n\n`nobody` *told by a test* **beside** it\n";
  expect(found("docs/x.md", page)).toEqual(["1 Whoever", "7 beside"]);
});

test("names of tests are read as comments are, and other strings of tests are not", () => {
  const [call, each] = ["test", "describe.each([1])"];
  const code = `${call}("told once", () => told("beside"));\n${each}("a house", () => {});\n// it is shared out\n`;
  expect(found("packages/core/src/x.test.ts", code).toSorted()).toEqual(["1 told", "2 house", "3 shared out"]);
  const comment = "// it is shared out; the lane\n";
  expect(found("packages/core/src/x.ts", comment).toSorted()).toEqual(["1 lane", "1 shared out"]);
});

test("messages are printed as people read them: without classes, names and SQL, with a place for what code puts in", () => {
  const code = [
    'const sql = "SELECT a FROM t";',
    `const error = \`$\{name} has no room for $\{amount}\`; // not this one`,
    'const row = <p className="soft small">No budget yet ({left} left)</p>;',
    'const key = ["dataset", "budget"];',
  ];
  expect(messagesIn("x.tsx", code.join("\n"))).toEqual([
    { line: 2, text: "{…} has no room for {…}" },
    { line: 3, text: "No budget yet (" },
  ]);
});
