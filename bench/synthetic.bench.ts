// Errors, time and memory of synthetic tables.
// Run: npx node bench/synthetic.bench.ts [RUNS.jsonl] [TABLE.csv …]
// A table is one of TABLES by how the name of its file begins; RUNS.jsonl gets the errors of each run, for bench/peers/synthetic.py compare.
// With no table: the time and memory of a million rows.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { secureRandom } from "@dosimeter/core";
import { readTable } from "@dosimeter/core/internal";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { syntheticCells, syntheticCsv } from "@dosimeter/query/statistics";
import { gaussianMu } from "@dosimeter/tradeoff";

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

type Row = Readonly<Record<string, string>>;
type Cell = (row: Row) => number | string;
const numberIn =
  (name: string): Cell =>
  (row) =>
    Number(row[name]);
const textIn =
  (name: string): Cell =>
  (row) =>
    row[name] ?? "";

/** Which value of a row counts as which, column by column; the same as TABLES of bench/peers/synthetic.py. */
const TABLES: Readonly<Record<string, readonly Cell[]>> = {
  // The columns of the published comparison.
  pums: [
    numberIn("sex"),
    (row) => Math.min(13, Math.floor((Number(row.age) - 18) / 5)),
    numberIn("educ"),
    (row) => Math.max(0, Math.min(14, Math.floor(Number(row.income) / 10_000))),
    ...["latino", "black", "asian", "married"].map(numberIn),
    (row) => Math.floor(Number(row.puma) / 100),
  ],
  // When a flight was planned, by whom, from where to where, and how late it left: quarters of an hour, apart where it never did.
  flights: [
    numberIn("month"),
    ({ year, month, day }) => new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay(),
    numberIn("hour"),
    ...["carrier", "origin", "dest"].map(textIn),
    ({ dep_delay: late }) => (late === "NA" ? late : Math.max(-2, Math.min(8, Math.floor(Number(late) / 15)))),
  ],
};

/** The columns of a table in whole numbers; none with one value. */
function read(file: string): Coded {
  const name = `${file.split("/").at(-1)}`;
  const cells = Object.entries(TABLES).find(([begins]) => name.startsWith(begins))?.[1];
  if (cells === undefined) throw new Error(`${name} is none of ${Object.keys(TABLES).join(", ")}`);
  const table = readTable(readFileSync(file, "utf8"), name, { heading: "always" });
  const rows = table.rows.map(({ cells: fields }): Row => {
    return Object.fromEntries((table.heading ?? []).map((each, at) => [each, fields[at] ?? ""]));
  });
  const all = cells
    .map((cell) => {
      const values = rows.map(cell);
      const place = new Map([...new Set(values)].map((value, at) => [value, at]));
      return { places: Uint16Array.from(values, (value) => place.get(value) ?? 0), size: place.size };
    })
    .filter(({ size }) => size > 1);
  return {
    name,
    sizes: all.map(({ size }) => size),
    columns: all.map(({ places }) => places),
    rows: rows.length,
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
    mostRows: 2 ** 40,
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

/** Counts of all sets of a number of columns, as shares of the rows. */
const marginals = ({ columns, rows }: Pick<Coded, "columns" | "rows">, sizes: readonly number[], many: number) =>
  sets(sizes.length, many).map((set) => {
    const cells = new Uint32Array(rows);
    for (const at of set) {
      const [column, size] = [columns[at] ?? cells, sizes[at] ?? 1];
      for (let row = 0; row < rows; row++) cells[row] = (cells[row] ?? 0) * size + (column[row] ?? 0);
    }
    const shares = new Float64Array(set.reduce((count, at) => count * (sizes[at] ?? 1), 1));
    for (const cell of cells) shares[cell] = (shares[cell] ?? 0) + 1 / rows;
    return shares;
  });

/** L1 distance of all marginals of one, two and three columns, over n: mean and largest. */
function errorsAgainst(table: Coded) {
  const real = [1, 2, 3].map((many) => marginals(table, table.sizes, many));
  return (other: Pick<Coded, "columns" | "rows">) =>
    real.map((shares, at) => {
      const all = marginals(other, table.sizes, at + 1).map((made, set) =>
        made.reduce((sum, share, cell) => sum + Math.abs(share - (shares[set]?.[cell] ?? 0)), 0),
      );
      return [mean(all), Math.max(...all)] as const;
    });
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
const given = process.argv.slice(2);
const runsFile = given.find((name) => name.endsWith(".jsonl"));
const files = given.filter((name) => name.endsWith(".csv"));
for (const each of files) await compare(read(each));
if (files.length === 0) await measureLarge();
await engine.close();
rmSync(folder, { recursive: true });

async function compare(table: Coded): Promise<void> {
  const file = csvOf(table);
  const errorsOf = errorsAgainst(table);
  console.log(
    `${table.name}, ${table.rows} rows, cells ${table.sizes.join(" ")}; L1/n of all marginals, mean / largest`,
  );
  const report = (name: string, runs: readonly ReturnType<typeof errorsOf>[]): void => {
    const texts = [0, 1, 2].map(
      (at) =>
        `${at + 1}-way ${shown(mean(runs.map((run) => run[at]?.[0] ?? 0)))} / ${shown(mean(runs.map((run) => run[at]?.[1] ?? 0)))}`,
    );
    console.log(`${name}: ${texts.join("   ")}`);
  };
  const { rows, columns } = table;
  const picked = Uint32Array.from({ length: rows }, () => Math.floor(Math.random() * rows));
  report("bootstrap", [
    errorsOf({ rows, columns: columns.map((c) => Uint16Array.from(picked, (row) => c[row] ?? 0)) }),
  ]);
  const independent = columns.map((c) => c.map((_, __, all) => all[Math.floor(Math.random() * all.length)] ?? 0));
  report("independent, no noise", [errorsOf({ rows, columns: independent })]);
  for (const epsilon of [0.5, 1, 2])
    for (const price of [{ rho: (gaussianMu(epsilon, 1e-6) ** 2 / 2).toFixed(12) }, { epsilon: String(epsilon) }]) {
      const runs: Pick<Awaited<ReturnType<typeof once>>, "seconds" | "released">[] = [];
      const errors: ReturnType<typeof errorsOf>[] = [];
      for (let seed = 0; seed < SEEDS; seed++) {
        const { cells, ...run } = await once(table, file, price, seed);
        runs.push(run);
        errors.push(errorsOf(cells));
        if (runsFile !== undefined && "rho" in price)
          appendFileSync(
            runsFile,
            `${JSON.stringify({ table: table.name, epsilon, seed, errors: errors.at(-1), pairs: run.released.pairs.length })}\n`,
          );
      }
      report("rho" in price ? `ε ${epsilon}, δ 1e-6 (ρ ${Number(price.rho).toFixed(4)})` : `ε ${epsilon}, δ 0`, errors);
      const part = (of: keyof (typeof runs)[number]["seconds"]): string =>
        `${of} ${mean(runs.map(({ seconds }) => seconds[of])).toFixed(3)} s`;
      console.log(
        `   ${part("measure")}, ${part("noise")}, ${part("rows")}, ${part("processor")}; pairs ${runs.map(({ released }) => released.pairs.length).join(" ")}; ${load()}`,
      );
    }
}

async function measureLarge(): Promise<void> {
  const large = made(1_000_000, 20, 10);
  const file = csvOf(large);
  const { seconds, released } = await once(large, file, { rho: "0.02" }, 0);
  const start = performance.now();
  let letters = 0;
  for (const piece of syntheticCsv(released, { rows: large.rows })) letters += piece.length;
  console.log(
    `${large.name}: measure ${seconds.measure.toFixed(2)} s, noise ${seconds.noise.toFixed(2)} s, cells ${seconds.rows.toFixed(2)} s, processor ${seconds.processor.toFixed(2)} s, all as CSV ${((performance.now() - start) / 1000).toFixed(2)} s (${(letters / 1e6).toFixed(0)} MB), largest resident ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB, ${load()}`,
  );
}
