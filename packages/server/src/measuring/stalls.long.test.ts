import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { seededRandom } from "@dosimeter/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, csvBytes, declaration, type Fixture } from "../instance.kit.ts";
import { type Serving, serve } from "../serve.ts";

const PEOPLE = 250_000;
const FEW = 1000;
/** Releases of each filter. */
const RELEASES = 25;
/**
 * The rank statistic of Mann and Whitney is the share of pairs in which many rows are felt more than few: for 25 of each that are felt
 * alike, 0.5. Farther from it than this happens in 3 of 10¹⁰ cases, by its exact distribution, for each of three figures.
 */
const FARTHEST = 0.455;

const place = temporaryFolder();
let serving: Serving;
let fixture: Fixture;
let asked: { readonly dataset: string; readonly account: string };
let prober: ChildProcess;

/** Asks a server one thing after another, from a process of its own, and tells how long the answers took. */
const PROBER = `let isOver = true;
process.on("message", async (url) => {
  if (url === null) { isOver = true; return; }
  isOver = false;
  const took = [];
  while (!isOver) { const t = performance.now(); await (await fetch(url)).text(); took.push(performance.now() - t); }
  process.send({ longest: Math.max(...took), mean: took.reduce((sum, each) => sum + each, 0) / took.length });
});
process.on("disconnect", () => process.exit());`;

beforeAll(async () => {
  serving = await serve({ folder: place, port: 0, webRoot: null });
  fixture = await buildFixture(serving.instance);
  const { datasetAdmin } = fixture.as;
  const rows = Array.from({ length: PEOPLE }, (_, at) => `${at},${at},${(at * 7919) % 100_000}`);
  const file = await datasetAdmin.uploadFile({
    name: "many.csv",
    content: csvBytes(`person,place,salary\n${rows.join("\n")}\n`),
  });
  const whole = { type: "integer", lower: 0, provenance: "public" } as const;
  const columns = {
    person: { type: "integer", provenance: "public" },
    place: { ...whole, upper: PEOPLE },
    salary: { ...whole, upper: 100_000 },
  };
  const { id: dataset } = await datasetAdmin.createDataset({
    file: file.id,
    declaration: { ...declaration, name: "many", size: { assumed: PEOPLE }, columns },
  });
  const { id: ledger } = await datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-6" });
  const holder = { kind: "person", id: fixture.people.member } as const;
  const { id: account } = await datasetAdmin.createAccount({ ledger, holder, epsilon: "5" });
  asked = { dataset, account };
  prober = spawn(process.execPath, ["-e", PROBER], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}, 120_000);
afterAll(async () => {
  prober.kill("SIGKILL");
  await serving.close();
});

interface Felt {
  readonly longest: number;
  readonly mean: number;
  /** Until the answer was there. */
  readonly release: number;
}

/** What another connection feels, and how long the answer takes, while the median of the first `rows` rows is released. */
async function release(rows: number): Promise<Felt> {
  prober.send(`${serving.url}/v1/health`);
  const started = performance.now();
  const where = { op: "<", column: "place", value: rows };
  const statistics = [{ statistic: "median", column: "salary", where, epsilon: "0.01" }];
  await fixture.as.member.releaseAndWait({ ...asked, plan: { statistics }, reuse: "never" });
  const took = performance.now() - started;
  const told = once(prober, "message");
  prober.send(null as never);
  const [felt] = (await told) as [Omit<Felt, "release">];
  return { ...felt, release: took };
}

test("what another connection feels while a release is measured does not tell how many rows match", async () => {
  const random = seededRandom(16);
  const few: Felt[] = [];
  const many: Felt[] = [];
  for (let pair = -2; pair < RELEASES; pair += 1) {
    // In pairs, the first of each by chance: whatever else the machine does happens to both alike.
    const isFewFirst = random.uint32() % 2 === 0;
    for (const isFew of [isFewFirst, !isFewFirst]) {
      const felt = await release(isFew ? FEW : PEOPLE);
      if (pair >= 0) (isFew ? few : many).push(felt); // files are read in full only once
    }
  }
  for (const figure of ["longest", "mean", "release"] as const) {
    const above = few.flatMap((one) => many.map((other) => Number(other[figure] > one[figure])));
    const chance = above.reduce((sum, each) => sum + each, 0) / above.length;
    expect(Math.abs(chance - 0.5), `${figure}: ${chance}`).toBeLessThan(FARTHEST);
  }
}, 300_000);
