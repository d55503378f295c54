import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@dosimeter/core/testing";
import { openEngines } from "@dosimeter/engines";
import {
  type FuzzedStatistic,
  fuzzSensitivities,
  type MadeUpRow,
  madeUpNames,
  type ReplayedNoise,
  replayed,
  replayNoise,
} from "@dosimeter/query/audit";
import { systemRandom } from "../measuring/random.ts";

export interface SelfAuditOptions {
  /** Pairs of neighbouring made-up tables. */
  readonly pairs: number;
  readonly draws: number;
  /** Seed of the made-up tables; the noise itself cannot be seeded. */
  readonly seed: number;
  readonly progress?: (stage: "sensitivities" | "noise", done: number, total: number) => void;
}

export interface SelfAudit {
  readonly passed: boolean;
  readonly sensitivities: readonly FuzzedStatistic[];
  readonly noise: readonly ReplayedNoise[];
}

/** Fuzzes sensitivities and replays the noise on this installation: a check, not a proof. Reads no real data. */
export async function selfAudit({ pairs, draws, seed, progress = () => {} }: SelfAuditOptions): Promise<SelfAudit> {
  const root = await mkdtemp(join(tmpdir(), "dosimeter-audit-"));
  const engine = await openEngines({ files: { root, cachedTables: 0 } });
  try {
    const bench = { engine, store: storeIn(root), salt: randomBytes(32).toString("hex") };
    const sensitivities = await fuzzSensitivities(bench, pairs, seededRandom(seed), (done) =>
      progress("sensitivities", done, pairs),
    );
    const noise = await replayNoise(bench, {
      draws,
      random: systemRandom(),
      progress: (done) => progress("noise", done, replayed.length),
    });
    const passed =
      sensitivities.every(({ violations }) => violations === 0) &&
      noise.every(({ atLeast, claimed }) => atLeast <= claimed);
    return { passed, sensitivities, noise };
  } finally {
    await engine.close();
    await rm(root, { recursive: true, force: true });
  }
}

function storeIn(root: string): (rows: readonly MadeUpRow[]) => Promise<{ readonly csv: string }> {
  let files = 0;
  return async (rows) => {
    const lines = rows.map((row) => madeUpNames.map((name) => String(row[name] ?? "")).join());
    const csv = `${++files}.csv`;
    await writeFile(join(root, csv), `${[madeUpNames.join(), ...lines].join("\n")}\n`);
    return { csv };
  };
}
