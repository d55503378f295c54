import { browserOf, clientOf, openTestInstance } from "../../packages/server/src/instance.kit.ts";
import type { Asker } from "./ask.ts";
import { mistakesIn, right } from "./mistakes.ts";
import { factsOf, openRaw } from "./table-facts.ts";
import type { Table } from "./tables.ts";
import { type Case, type Walked, type Way, walk } from "./walk.ts";

/** A person who signed in to an instance of their own. */
export async function openAsker() {
  const instance = await openTestInstance();
  const operator = clientOf(instance, instance.operatorToken);
  const { id: person } = await operator.createPerson({ name: "Hurried Steward" });
  const client = browserOf(instance.fetch);
  const { url } = await operator.createSignInLink({ person });
  await client.signIn({ link: new URL(url).hash.slice(1) });
  return { asker: { client, person }, close: instance.close };
}

const WAYS: readonly Way[] = ["kept", "corrected", "checked"];

/**
 * The right declaration of a table, then each mistake: of every third the steward keeps the declaration, of every third they mend it, and the
 * rest are checked only. `turn` decides which come first, so that over all tables every mistake is met in each way.
 */
export async function* walks(
  asker: Asker,
  table: Table,
  file: string,
  turn: number,
  isDone: (mistake: string) => boolean,
): AsyncGenerator<Walked> {
  const raw = await openRaw(file);
  const of: Case = { asker, table, raw, facts: await factsOf(raw, table), file };
  const known = isDone(right.name);
  const { ids, ...first } = await walk(of, right, known ? "checked" : "kept", new Set());
  if (!known) yield first;
  const usual = new Set(ids);
  for (const [at, mistake] of mistakesIn(table, of.facts).entries()) {
    if (isDone(mistake.name)) continue;
    const way = WAYS[(at + turn) % WAYS.length] ?? "kept";
    const { ids: _, ...walked } = await walk(
      of,
      mistake,
      way === "corrected" && mistake.isInFile === true ? "kept" : way,
      usual,
    );
    yield walked;
  }
  raw.closeSync();
}
