/** `npm run sources`: every sentence of the four source documents, where the product does it, and the value that shows it. */
import { removeWorkFolder } from "../test/sources/calls.kit.ts";
import { closePlatform } from "../test/sources/platform.kit.ts";
import { documents } from "../test/sources/row.kit.ts";
import { sourceRows } from "../test/sources/rows.kit.ts";

const table: string[][] = [];
for (const { document, line, says, where, walk, expected } of sourceRows) {
  const value = await walk();
  if (value !== expected) process.exitCode = 1;
  table.push([documents[document], String(line), says, where, value === expected ? value : `WRONG: ${value}`]);
}
await closePlatform();
removeWorkFolder();

const flat = (cell: string): string => cell.replaceAll(/\s+/g, " ");
for (const row of [["document", "line", "says", "where", "value"], ...table])
  process.stdout.write(`${row.map(flat).join("\t")}\n`);
