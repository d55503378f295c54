import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Client, Input, Quote } from "@dosimeter/client";
import { checkExport } from "@dosimeter/verify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOf, openTestInstance, tokenFor } from "../packages/server/src/instance.kit.ts";

/** What `scripts/make-fixture.ts` recorded. */
interface Recorded {
  readonly who: string;
  /** A method of the SDK; of `createRelease` with the idempotency key behind `#`. */
  readonly call: string;
  readonly input: object;
  readonly answer: unknown;
}

const fixtures = join(import.meta.dirname, "fixtures");
const unzip = (...path: string[]): string => gunzipSync(readFileSync(join(...path))).toString();

/** Lines of the audit chain that signing in adds; what came before them must be there unchanged. */
const itemsOf = (
  answer: unknown,
): readonly { readonly at?: string; readonly action?: string; readonly subjectName?: string }[] =>
  (answer as { items: [] }).items;

const SEVERAL_QUANTILES = /^quantiles of /;

/**
 * A quote says its numbers again in a sentence, which is worded when it is asked for. The error of several quantiles was false in
 * 0.1.0 [M94]: a quote states the true one now, and does not offer the old answer. Which of several sources a derived answer is
 * read from, and whether it is as accurate, depended on the answers in 0.1.0 [M187]. An error that says nothing could be above the
 * public number of rows. A quote says since what the limits of an agent make of it.
 */
const comparable = (quote: unknown): unknown =>
  JSON.parse(
    JSON.stringify(quote, (key, value) => {
      if (key === "sentence" || key === "agent") return undefined;
      if (key === "accuracy" && value?.useless) return { ...value, halfWidth: undefined };
      if (value?.kind === "derived" && "asAccurate" in value) return { kind: value.kind };
      return SEVERAL_QUANTILES.test(value?.label) ? { ...value, accuracy: undefined, reuse: undefined } : value;
    }),
  );

/** A quote says since its price in ε also where noise without one was paid for, and the ledger's sum has ended. */
const asThen = (quote: Quote, then: Quote): Quote =>
  quote.cost === null || then.cost?.epsilon !== null ? quote : { ...quote, cost: { ...quote.cost, epsilon: null } };

/** The sum of what the rows of a plan ask for; null where a row has no ε, 0 where earlier answers were asked for, which serve all. */
function epsilonPaid(input: unknown): string | null {
  const { plan, reuse } = input as Input<"quotePlan">;
  if (reuse !== undefined) return "0";
  const asked = plan.statistics.map((row) => ("epsilon" in row ? Number(row.epsilon) : null));
  return asked.includes(null)
    ? null
    : String(Number(asked.reduce<number>((sum, each) => sum + (each ?? 0), 0).toFixed(9)));
}

/** An answer without what is worded when it is asked for: the remarks of a report, the promise of a cap. */
const without = (field: string, answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === field ? undefined : value)));

/** Their answers say since 0.2 how many more charges fit, and how many tables the ledger pays for. */
const ofAccounts = new Set(["listMyAccounts", "listTeamAccounts", "showAccount"]);
const withoutNews = (answer: unknown): unknown => without("tables", without("more", answer));

/** The list promised what any answer of its kind may give; now it promises what a quote offers. */
const withoutPromises = (list: unknown): unknown => itemsOf(list).map((item) => ({ ...item, derivable: undefined }));

/** Offers of the answers that 0.1.0 gave to several quantiles, anywhere in a quote. */
function offersOfQuantiles(quote: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(quote, (key, value) => {
    if (SEVERAL_QUANTILES.test(value?.label) && "release" in value) found.push(`${key} ${value.release}`);
    return value;
  });
  return found;
}

/**
 * ε of Laplace noise is exact since [M30]; before, it was a double or two above, and what follows from it in the last digits. What
 * says how many more fit says since then whether δ alone limits them. Optimal composition no longer has a bound from below of events
 * that have more than an ε and a δ: it was false [M40]. A total is rounded up since, not to the nearest.
 */
const comparableSums = (report: unknown): unknown =>
  JSON.parse(JSON.stringify(without("isDelta", without("remarks", report))), (_, value) => {
    if (value?.method === "optimal") return { ...value, lower: undefined };
    return typeof value === "number" ? Number(value.toPrecision(10)) : value;
  });

describe.each(readdirSync(fixtures))("a data folder of version %s", (version) => {
  const at = join(fixtures, version);
  const { people, ledgers, recorded } = JSON.parse(unzip(at, "answers.json.gz")) as {
    readonly people: Record<string, string>;
    readonly ledgers: Record<string, string>;
    readonly recorded: readonly Recorded[];
  };
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  let instance: Awaited<ReturnType<typeof openTestInstance>>;
  const as: Record<string, Client> = {};
  const ask = ({ who, call, input }: Recorded): Promise<unknown> => {
    const [name = "", idempotencyKey] = call.split("#");
    const method = as[who]?.[name as keyof Client] as (input: object, options: object) => Promise<unknown>;
    return method(input, idempotencyKey === undefined ? {} : { idempotencyKey });
  };

  beforeAll(async () => {
    execFileSync("tar", ["-xzf", join(at, "data.tar.gz"), "-C", folder], { timeout: 60_000 });
    instance = await openTestInstance({ folder: join(folder, "data") });
    for (const [who, person] of Object.entries(people)) as[who] = clientOf(instance, await tokenFor(instance, person));
  });
  afterAll(async () => {
    await instance.close();
    rmSync(folder, { recursive: true });
  });

  test.each(recorded.map((each, index) => [`${index} ${each.call} of ${each.who}`, each] as const))(
    "answers the same: %s",
    async (_, each) => {
      const answer = await ask(each);
      if (each.call === "quotePlan") {
        const [now, then] = [answer, each.answer] as [Quote, Quote];
        expect(comparable(asThen(now, then))).toEqual(comparable(then));
        if (then.cost?.epsilon === null) expect(now.cost?.epsilon).toBe(epsilonPaid(each.input));
        expect(offersOfQuantiles(answer)).toEqual([]);
      } else if (each.call === "listReleased") {
        expect(withoutPromises(answer)).toEqual(withoutPromises(each.answer));
      } else if (each.call === "reportLedger" || each.call === "reportAccount") {
        expect(comparableSums(answer)).toEqual(comparableSums(each.answer));
      } else if (["listReleases", "showRelease", "createRelease"].includes(each.call.split("#")[0] ?? "")) {
        // A release has got a title, a note and its price since.
        expect(answer).toMatchObject(each.answer as object);
      } else if (each.call === "listAccounts") {
        expect(without("sentence", withoutNews(answer))).toEqual(without("sentence", each.answer));
      } else if (each.call === "showDataset") {
        // A dataset says what its table is made of since; an upload, of nothing else.
        expect(answer).toEqual({ ...(each.answer as object), lineage: null });
      } else if (each.call === "showTeam") {
        // A team says whom its links let in since; as before, no one who is new.
        expect(answer).toEqual({ ...(each.answer as object), linksAdmit: "known" });
      } else if (ofAccounts.has(each.call)) {
        expect(withoutNews(answer)).toEqual(each.answer);
      } else if (each.call !== "listLedgerAudit") expect(answer).toEqual(each.answer);
      // A line says since which page it is about, and calls a release by its title.
      else
        expect(itemsOf(answer)).toEqual(
          expect.arrayContaining(
            itemsOf(each.answer).map(({ subjectName, ...line }) =>
              expect.objectContaining(
                /^(?:charge|release)\.create$/.test(line.action ?? "") ? line : { ...line, subjectName },
              ),
            ),
          ),
        );
    },
  );

  test("quotes of 0.1.0 offered its quantiles, as far as they had been asked", () => {
    const quotes = recorded.filter(({ call }) => call === "quotePlan").map(({ answer }) => answer);
    expect(offersOfQuantiles(quotes).length).toBeGreaterThan(0);
  });

  test.each(Object.entries(ledgers))(
    "exports ledger %s bit for bit, and its old export passes",
    async (name, ledger) => {
      const old = unzip(at, `${name}.export.jsonl.gz`);
      const exported = (await as.aud?.exportLedger({ ledger })) as unknown as Blob;
      const now = await exported.text();
      // The first line says when it was made, the last one signs it; the audit chain has grown by the sign-ins above.
      const body = old.trimEnd().split("\n").slice(1, -1);
      expect(now.split("\n").slice(1, 1 + body.length)).toEqual(body);
      for (const text of [old, now]) expect((await checkExport(text)).problems).toEqual([]);
    },
  );

  test("every ledger verifies", async () => {
    expect((await as.aud?.verify({}))?.problems).toEqual([]);
  });

  test("a database that lacks what its checkpoint knows opens frozen", async () => {
    const restored = mkdtempSync(join(tmpdir(), "upgrade-restored-"));
    execFileSync("tar", ["-xzf", join(at, "data.tar.gz"), "-C", restored], { timeout: 60_000 });
    const checkpoint = join(restored, "data", "checkpoint.json");
    const kept = JSON.parse(readFileSync(checkpoint, "utf8"));
    writeFileSync(checkpoint, JSON.stringify({ ...kept, seq: String(BigInt(kept.seq) + 1n), hash: "f".repeat(64) }));
    const older = await openTestInstance({ folder: join(restored, "data") });
    const operator = clientOf(older, older.operatorToken);
    const dana = clientOf(older, await tokenFor(older, people.dana ?? ""));
    expect((await operator.health({})).status).toBe("ok");
    for (const ledger of Object.values(ledgers)) expect((await dana.showLedger({ ledger })).status).toBe("frozen");
    await older.close();
    rmSync(restored, { recursive: true });
  });
});
