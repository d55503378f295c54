// Whether found keys tell by time: how long a person waits for the keys of nine rows in ten, each with a key of its own, and of no row.
// Run: npx node bench/found-keys.bench.ts [rows] [releases] [most values] [characters of a key]
import { cpus, loadavg } from "node:os";
import { openStrangersTable } from "../packages/server/src/release/found-keys.kit.ts";

const [rows = 400_000, releases = 80, mostValues, length = 0] = process.argv.slice(2).map(Number);

const text = length === 0 ? "'word ' || i" : `lpad(CAST(i AS VARCHAR), ${length}, 'ж')`;
const declared = { mostRows: rows, ...(mostValues === undefined ? {} : { mostValues }) };
const table = await openStrangersTable(rows, declared, { text });
try {
  await table.took(1); // files are read in full only once
  const seen = { none: [] as number[], most: [] as number[] };
  const missed = { none: 0, most: 0 };
  for (let pair = 0; pair < releases / 2; pair += 1)
    // In pairs, the first of each by turns: whatever else the machine does happens to both alike.
    for (const which of pair % 2 === 0 ? (["none", "most"] as const) : (["most", "none"] as const)) {
      const before = table.missed();
      seen[which].push(await table.took(which === "none" ? 2 : 1));
      missed[which] += table.missed() - before;
    }
  console.log(
    `${rows} rows, ${releases} releases, ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log("| rows that match | least s | median s | most s | missed |\n| --- | --- | --- | --- | --- |");
  for (const which of ["none", "most"] as const) {
    const sorted = seen[which].toSorted((a, b) => a - b).map((ms) => (ms / 1000).toFixed(2));
    const times = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
    console.log(`| ${[which === "none" ? 0 : rows - Math.ceil(rows / 10), ...times, missed[which]].join(" | ")} |`);
  }
} finally {
  await table.close();
}
