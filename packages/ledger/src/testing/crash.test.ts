import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { killAgainAndAgain, processesKit } from "./crash.kit.ts";
import type { Place } from "./place.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPlace = (): Place => ({ kind: "sqlite", path: join(folder, `${files++}.sqlite`) });

test("kill −9 on both sides of each commit loses and repeats nothing (all labels: crash.long.test.ts)", async () => {
  const kills = [
    { label: "charge.settled", hit: 2 },
    { label: "charge.committed", hit: 1 },
    { label: "release.written", hit: 3 },
    { label: "release.committed", hit: 2 },
  ] as const;
  expect(await killAgainAndAgain(newPlace(), kills)).toBe(kills.length);
});

processesKit(newPlace);
