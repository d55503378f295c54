// How far answers are from the truth: real tables, the questions of an analyst, the declarations of a hurried steward, the defaults of the
// pages. `npm run truth` goes on where its last run at this commit stopped; `npm run truth -- penguins 600` for one table and 600 s.
// Tables are fetched by name into ~/.cache/dosimeter or TRUTH_CACHE.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cache, fileOf } from "./truth/fetched.ts";
import { isReadAsMeant } from "./truth/mistakes.ts";
import { openAsker, walks } from "./truth/run.ts";
import { scoreOf } from "./truth/score.ts";
import { tables } from "./truth/tables.ts";
import type { Walked } from "./truth/walk.ts";

const given = process.argv.slice(2);
const seconds = Number(given.find((each) => /^\d+$/.test(each)) ?? Number.POSITIVE_INFINITY);
const named = given.filter((each) => !/^\d+$/.test(each));
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const kept = join(cache(), `runs-${commit}.jsonl`);
const done: Walked[] = existsSync(kept)
  ? readFileSync(kept, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  : [];
const start = performance.now();

for (const [turn, table] of tables.entries()) {
  if (named.length > 0 && !named.includes(table.name)) continue;
  const file = fileOf(table);
  if (file === null) {
    console.log(`${table.name} is absent: its package cannot be fetched here`);
    continue;
  }
  const { asker, close } = await openAsker();
  const isDone = (mistake: string): boolean => done.some((one) => one.table === table.name && one.mistake === mistake);
  for await (const walked of walks(asker, table, file, turn, isDone)) {
    done.push(walked);
    appendFileSync(kept, `${JSON.stringify(walked)}\n`);
    if (performance.now() - start > seconds * 1000) break;
  }
  await close();
  if (performance.now() - start > seconds * 1000) break;
  console.log(`${table.name}: ${Math.round((performance.now() - start) / 1000)} s`);
}
console.log(scoreOf(done, isReadAsMeant).join("\n"));
