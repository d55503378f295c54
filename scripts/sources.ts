/** `npm run sources`: every sentence of the four source documents, where the product does it, the value that shows it, and the verdict. */
import { removeWorkFolder } from "../test/sources/calls.kit.ts";
import { closePlatform } from "../test/sources/platform.kit.ts";
import { documents } from "../test/sources/row.kit.ts";
import { sourceRows } from "../test/sources/rows.kit.ts";

const table: string[][] = [["verdict", "document", "line", "says", "where", "value"]];
let wrong = 0;
for (const { document, line, says, where, walk, expected } of sourceRows) {
  const value = await walk();
  const isRight = value === expected;
  if (!isRight) wrong += 1;
  const shown = isRight ? value : `${value}, must be ${expected}`;
  table.push([isRight ? "holds" : "WRONG", documents[document], String(line), says, where, shown]);
}
await closePlatform();
removeWorkFolder();

const flat = (cell: string): string => cell.replaceAll(/\s+/g, " ");
for (const row of table) process.stdout.write(`${row.map(flat).join("\t")}\n`);
process.stdout.write(`${sourceRows.length - wrong} of ${sourceRows.length} hold\n`);
if (wrong > 0) process.exitCode = 1;
