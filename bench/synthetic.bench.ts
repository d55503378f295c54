// Errors, time and memory of synthetic tables.
// Run: npx node --conditions=@dosimeter/source bench/synthetic.bench.ts [CSV of PUMS with puma, sex, age, educ, income, latino, black, asian, married]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { secureRandom } from "@dosimeter/core";
import { gaussianMu } from "@dosimeter/core/tradeoff";
import { addNoise, boundPlan, checkDeclaration, syntheticCells, syntheticCsv } from "@dosimeter/query";
import { duckdbEngine } from "@dosimeter/query/duckdb";

const SEEDS = 10;
const random = secureRandom((words) => crypto.getRandomValues(words));
const folder = mkdtempSync(join(tmpdir(), "dosimeter-bench-"));
const engine = await duckdbEngine({ root: folder, threads: 2 });
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const shown = (value: number): string => value.toFixed(4).replace(/^0/, "");

interface Coded {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly columns: readonly Uint16Array[];
  readonly rows: number;
}

/** The columns of the published comparison, in the same numbers of cells. */
function census(file: string): Coded {
  const [head = "", ...lines] = readFileSync(file, "utf8")
    .trim()
    .split(/\r\n|\r|\n/);
  const names = head.split(",").map((name) => name.replaceAll('"', ""));
  const cells = lines.map((line) => line.split(",").map(Number));
  const read = (name: string): readonly number[] => cells.map((row) => row[names.indexOf(name)] ?? 0);
  const coded = (values: readonly number[]): { readonly places: Uint16Array; readonly size: number } => {
    const known = [...new Set(values)].toSorted((a, b) => a - b);
    const place = new Map(known.map((value, at) => [value, at]));
    return { places: Uint16Array.from(values, (value) => place.get(value) ?? 0), size: known.length };
  };
  const all = [
    coded(read("sex")),
    coded(read("age").map((age) => Math.min(13, Math.floor((age - 18) / 5)))),
    coded(read("educ")),
    coded(read("income").map((income) => Math.max(0, Math.min(14, Math.floor(income / 10_000))))),
    ...["latino", "black", "asian", "married"].map((name) => coded(read(name))),
    coded(read("puma").map((puma) => Math.floor(puma / 100))),
  ].filter(({ size }) => size > 1);
  return {
    name: `${file.split("/").at(-1)}`,
    sizes: all.map(({ size }) => size),
    columns: all.map(({ places }) => places),
    rows: lines.length,
  };
}

/** A million rows: each column follows one before it half of the time. */
function made(rows: number, columns: number, size: number): Coded {
  let state = 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const all: Uint16Array[] = [];
  for (let at = 0; at < columns; at++) {
    const before = all[Math.floor(at / 2)];
    all.push(
      Uint16Array.from({ length: rows }, (_, row) =>
        before === undefined || next(2) === 0 ? Math.floor(next(size * size) / size) : (before[row] ?? 0),
      ),
    );
  }
  return { name: `${rows} × ${columns}`, sizes: all.map(() => size), columns: all, rows };
}

function csvOf({ columns, rows, name }: Coded): string {
  const file = join(folder, `${name.replaceAll(/\W/g, "")}.csv`);
  const lines = [columns.map((_, at) => `c${at}`).join(",")];
  for (let row = 0; row < rows; row++) lines.push(columns.map((column) => column[row]).join(","));
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const declarationOf = (table: Coded, file: string) =>
  checkDeclaration({
    name: "t",
    source: { csv: file },
    privacyUnit: "row",
    columns: Object.fromEntries(
      table.sizes.map((size, at) => [`c${at}`, { type: "integer", lower: 0, upper: size - 1, required: true }]),
    ),
  });

/** All sets of a number of columns. */
function sets(columns: number, many: number, from = 0): readonly (readonly number[])[] {
  if (many === 0) return [[]];
  return Array.from({ length: columns - from }, (_, step) => from + step).flatMap((first) =>
    sets(columns, many - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

/** L1 distance of all marginals of a number of columns, over n: mean and largest. */
function distances(a: Pick<Coded, "columns" | "rows">, b: Coded, many: number): readonly [number, number] {
  const all = sets(b.sizes.length, many).map((set) => {
    const counts = new Float64Array(set.reduce((cells, at) => cells * (b.sizes[at] ?? 1), 1));
    for (const [table, weight] of [
      [a, 1 / a.rows],
      [b, -1 / b.rows],
    ] as const)
      for (let row = 0; row < table.rows; row++) {
        const cell = set.reduce((place, at) => place * (b.sizes[at] ?? 1) + (table.columns[at]?.[row] ?? 0), 0);
        counts[cell] = (counts[cell] ?? 0) + weight;
      }
    return counts.reduce((sum, off) => sum + Math.abs(off), 0);
  });
  return [mean(all), Math.max(...all)];
}

type Price = { readonly rho: string } | { readonly epsilon: string };

/** One table from the file to the rows: seconds of each part, and the made-up cells. */
async function once(table: Coded, file: string, price: Price, seed: number) {
  const declaration = declarationOf(table, file);
  const bounded = boundPlan({ statistics: [{ statistic: "syntheticTable", bins: 1000, ...price }] }, declaration);
  const at = await engine.check(declaration, { salt: "5e".repeat(32) });
  const clock = (): number => performance.now() / 1000;
  const start = clock();
  const before = process.cpuUsage();
  const exact = await engine.run(bounded, at);
  const measured = clock();
  const [answer] = addNoise(bounded, exact, random);
  if (answer?.table === undefined) throw new Error("a table");
  const noised = clock();
  const cells = syntheticCells(answer.table, { rows: table.rows, seed });
  const { user, system } = process.cpuUsage(before);
  const processor = (user + system) / 1e6;
  const seconds = { measure: measured - start, noise: noised - measured, rows: clock() - noised, processor };
  return { seconds, cells, released: answer.table };
}

const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`;
console.log(`${cpus()[0]?.model}, Node ${process.version}, ${load()}`);
const [given] = process.argv.slice(2);
if (given !== undefined) {
  const table = census(given);
  const file = csvOf(table);
  console.log(
    `${table.name}, ${table.rows} rows, cells ${table.sizes.join(" ")}; L1/n of all marginals, mean / largest`,
  );
  const report = (name: string, runs: readonly Pick<Coded, "columns" | "rows">[]): void => {
    const texts = [1, 2, 3].map((many) => {
      const all = runs.map((run) => distances(run, table, many));
      return `${many}-way ${shown(mean(all.map(([each]) => each)))} / ${shown(mean(all.map(([, most]) => most)))}`;
    });
    console.log(`${name}: ${texts.join("   ")}`);
  };
  const picked = Uint32Array.from({ length: table.rows }, () => Math.floor(Math.random() * table.rows));
  report("bootstrap", [
    { rows: table.rows, columns: table.columns.map((c) => Uint16Array.from(picked, (row) => c[row] ?? 0)) },
  ]);
  const shuffled = table.columns.map((c) => c.map((_, __, all) => all[Math.floor(Math.random() * all.length)] ?? 0));
  report("independent, no noise", [{ rows: table.rows, columns: shuffled }]);
  for (const epsilon of [0.5, 1, 2])
    for (const price of [{ rho: (gaussianMu(epsilon, 1e-6) ** 2 / 2).toFixed(12) }, { epsilon: String(epsilon) }]) {
      const runs: Awaited<ReturnType<typeof once>>[] = [];
      for (let seed = 0; seed < SEEDS; seed++) runs.push(await once(table, file, price, seed));
      const name = "rho" in price ? `ε ${epsilon}, δ 1e-6 (ρ ${Number(price.rho).toFixed(4)})` : `ε ${epsilon}, δ 0`;
      report(
        name,
        runs.map(({ cells }) => cells),
      );
      const part = (of: keyof (typeof runs)[number]["seconds"]): string =>
        `${of} ${mean(runs.map(({ seconds }) => seconds[of])).toFixed(3)} s`;
      console.log(
        `   ${part("measure")}, ${part("noise")}, ${part("rows")}, ${part("processor")}; pairs ${runs.map(({ released }) => released.pairs.length).join(" ")}`,
      );
    }
}
const large = made(1_000_000, 20, 10);
const file = csvOf(large);
const { seconds, released } = await once(large, file, { rho: "0.02" }, 0);
const start = performance.now();
let letters = 0;
for (const piece of syntheticCsv(released, { rows: large.rows })) letters += piece.length;
console.log(
  `${large.name}: measure ${seconds.measure.toFixed(2)} s, noise ${seconds.noise.toFixed(2)} s, cells ${seconds.rows.toFixed(2)} s, processor ${seconds.processor.toFixed(2)} s, all as CSV ${((performance.now() - start) / 1000).toFixed(2)} s (${(letters / 1e6).toFixed(0)} MB), largest resident ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB, ${load()}`,
);
await engine.close();
rmSync(folder, { recursive: true });
