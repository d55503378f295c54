import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import type { StepLabel } from "../context.ts";
import { openLedgerDatabase } from "../ledger-database.ts";
import { buildFixture, by, eps, FREE } from "./fixture.kit.ts";
import { openPlace, type Place } from "./place.kit.ts";
import type { Orders } from "./worker.kit.ts";

const worker = fileURLToPath(new URL("./worker.kit.ts", import.meta.url));

interface Ended {
  readonly lines: readonly (readonly string[])[];
  readonly signal: NodeJS.Signals | null;
  readonly complaint: string;
}

/** Runs a worker process until it ends. SIGTERM, which no test kill uses, ends one that hangs. */
function run(orders: Orders): Promise<Ended> {
  const args = ["--no-warnings", worker, JSON.stringify(orders)];
  const child = spawn(process.execPath, args, { timeout: 100_000 });
  let said = "";
  let complaint = "";
  child.stdout.on("data", (data) => {
    said += String(data);
  });
  child.stderr.on("data", (data) => {
    complaint += String(data);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_, signal) => {
      const lines = said.split("\n").filter((line) => line !== "");
      resolve({ lines: lines.map((line) => line.split(" ")), signal, complaint });
    });
  });
}

export interface Kill {
  readonly label: StepLabel;
  /** The worker dies when it reaches the label for the n-th time. */
  readonly hit: number;
  /** `database`: the database dies instead of the worker. */
  readonly who?: "database";
}

/** So small that no test spends the whole account. */
const EPSILON = "0.0001";
const CALLERS = 4;

/**
 * Kills one worker after another on one database; each continues where the last one died. After each death: every
 * acknowledged charge and answer is there, nothing is charged twice, what is public is what a cap of someone else counted,
 * and everything verifies. Returns the deaths.
 */
export async function killAgainAndAgain(
  place: Place,
  kills: readonly Kill[],
  revive: () => Promise<void> = async () => undefined,
): Promise<number> {
  const { database, ledger, ada, adas, dataset } = await buildFixture(await openPlace(place), {
    quota: "4",
    share: "2",
  });
  await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
  const reader = await database.people.createPrincipal({ kind: "user", name: "Reader", by });
  const capped = {
    ledger: ledger.id,
    parent: null,
    holder: { kind: "principal", id: reader.id },
    kind: "cap",
  } as const;
  const cap = (await database.ledgers.openAccount({ ...capped, epsilon: eps("1"), by })).id;
  await database.close();
  const charged = new Map<string, string>();
  const released = new Map<string, string>();
  let [deaths, next] = [0, 0];
  for (const die of [...kills, undefined]) {
    const fresh = Array.from({ length: 12 }, () => `key-${next++}`);
    const paid = [...charged.keys()].filter((key) => !key.startsWith(FREE));
    const keys = [...paid.slice(-4), ...fresh.slice(0, 2), ...pendingKeys(next), ...fresh.slice(2)];
    const orders = {
      place,
      principal: ada.id,
      account: adas.id,
      dataset: dataset.id,
      keys,
      epsilon: EPSILON,
      callers: CALLERS,
      release: true,
      declares: true,
    };
    const { lines, signal, complaint } = await run(die === undefined ? orders : { ...orders, die });
    const broken = die?.who === "database" && lines.some(([what]) => what === "refused");
    if (signal === "SIGKILL" || broken) deaths += 1;
    else expect({ die, complaint, last: lines.at(-1) }).toEqual({ die, complaint: "", last: ["done"] });
    for (const [what, key = "", id = "", answers = ""] of lines) {
      if (!broken) expect(what, `${key} ${id} ${answers}`).not.toBe("refused");
      if (what === "charged") expect(remember(charged, key, id), key).toBe(id);
      if (what === "released") expect(remember(released, key, answers), key).toBe(answers);
    }
    if (die?.who === "database") await revive();
    await checkSurvivors(place, { account: adas.id, cap, charged, released });
  }
  return deaths;
}

/**
 * The keys of the previous run: a charge that was written but not reported must be found under its key, not charged
 * again.
 */
const pendingKeys = (next: number): string[] =>
  Array.from({ length: 4 }, (_, i) => `key-${Math.max(0, next - 13 - i)}`);

function remember(all: Map<string, string>, key: string, value: string): string {
  const known = all.get(key) ?? value;
  all.set(key, known);
  return known;
}

interface Survivors {
  readonly account: string;
  readonly cap: string;
  readonly charged: ReadonlyMap<string, string>;
  readonly released: ReadonlyMap<string, string>;
}

async function checkSurvivors(place: Place, { account, cap, charged, released }: Survivors): Promise<void> {
  const store = await openPlace(place);
  const database = await openLedgerDatabase(store);
  const rows = await store.read
    .selectFrom("charge")
    .leftJoin("release", "release.charge_id", "charge.id")
    .select(["charge.id", "charge.key", "release.answers"])
    .execute();
  const byKey = new Map(rows.map((row) => [row.key, row]));
  for (const [key, id] of charged) expect(byKey.get(key)?.id, `acknowledged charge ${key}`).toBe(id);
  for (const [key, answers] of released)
    expect(byKey.get(key)?.answers, `acknowledged answers ${key}`).toBe(JSON.stringify(answers));
  expect(byKey.size).toBe(rows.length);
  const spent = (await database.ledgers.balance(account as never)).state.epsilon;
  const free = rows.filter(({ key }) => key.startsWith(FREE));
  expect(spent, "one price per key").toBe(eps(EPSILON) * BigInt(rows.length - free.length));
  expect(free.filter(({ answers }) => answers === null)).toEqual([]);
  const open = await store.read.selectFrom("public_answer").select("entry_seq").execute();
  const counted = (await database.ledgers.balance(cap as never)).state.epsilon;
  expect(counted, "each public answer, once").toBe(eps(EPSILON) * BigInt(open.length));
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
}

/** Several processes on one ledger: none overspends it, and a key is charged once in every order of the processes. */
export function processesKit(newPlace: () => Place): void {
  test("of 200 callers in four processes with room for 37 charges, of programs outside too, 37 are charged", async () => {
    const place = newPlace();
    const { database, ada, adas, dataset } = await buildFixture(await openPlace(place), { share: "0.37" });
    await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
    await database.close();
    const keys = (worker: number) => Array.from({ length: 50 }, (_, i) => `${worker}-${i}`);
    const orders = {
      place,
      principal: ada.id,
      account: adas.id,
      dataset: dataset.id,
      epsilon: "0.01",
      callers: 50,
      release: false,
      declares: true,
    };
    const ended = await Promise.all([0, 1, 2, 3].map((worker) => run({ ...orders, keys: keys(worker) })));
    const lines = ended.flatMap(({ lines }) => lines);
    expect(ended.map(({ complaint }) => complaint)).toEqual(["", "", "", ""]);
    expect(lines.filter(([what]) => what === "charged")).toHaveLength(37);
    expect(lines.filter(([what, , code]) => what === "refused" && code === "QUOTA_EXHAUSTED")).toHaveLength(163);
    const again = await openLedgerDatabase(await openPlace(place));
    expect((await again.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.37"));
    expect((await again.audit.verify()).problems).toEqual([]);
    await again.close();
  });

  test("of two processes that approve and withdraw a request one succeeds, and quota moves only if approved", async () => {
    const place = newPlace();
    const { database, team, ada, adas, dataset, teamAccount } = await buildFixture(await openPlace(place), {
      quota: "4",
    });
    const person = async (name: string) => (await database.people.createPrincipal({ kind: "user", name, by })).id;
    const lead = await person("Lead");
    await database.people.grantRole({ principal: lead, role: "teamAdmin", object: team.id, by });
    const asked = [];
    for (let n = 0; n < 12; n += 1) {
      const id = await person(`asking ${n}`);
      await database.people.addMember({ team: team.id, principal: id, by });
      const target = { holder: { kind: "principal", id }, parent: teamAccount.id } as const;
      asked.push(await database.requests.make({ by: id, dataset: dataset.id, target, epsilon: eps("0.1"), note: "" }));
    }
    await database.close();
    const orders = (decisions: Orders["decisions"]): Orders => ({
      place,
      principal: ada.id,
      account: adas.id,
      dataset: dataset.id,
      epsilon: "0.01",
      callers: 1,
      release: false,
      keys: [],
      ...present({ decisions }),
    });
    const ended = await Promise.all([
      run(orders(asked.map(({ id, version }) => ({ verb: "approve", request: id, version, by: lead })))),
      // From the other end, so that the two meet.
      run(
        orders(
          asked
            .toReversed()
            .map(({ id, version, requester }) => ({ verb: "withdraw", request: id, version, by: requester })),
        ),
      ),
    ]);
    const lines = ended.flatMap(({ lines }) => lines);
    expect(ended.map(({ complaint }) => complaint)).toEqual(["", ""]);
    const decided = lines.filter(([what]) => what === "decided");
    expect(new Set(decided.map(([, request]) => request)).size).toBe(12);
    expect(decided).toHaveLength(12);
    expect(lines.filter(([what, , code]) => what === "refused" && code === "CONFLICT")).toHaveLength(12);
    const approved = decided.filter(([, , verb]) => verb === "approve").length;
    const again = await openLedgerDatabase(await openPlace(place));
    const { allocated } = await again.ledgers.balance(teamAccount.id);
    expect(allocated.epsilon).toBe(eps("2") + eps("0.1") * BigInt(approved));
    expect((await again.audit.verify()).problems).toEqual([]);
    await again.close();
  });

  test("two processes with the same keys charge each key once", async () => {
    const place = newPlace();
    const { database, ada, adas, dataset } = await buildFixture(await openPlace(place));
    await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
    await database.close();
    const orders = {
      place,
      principal: ada.id,
      account: adas.id,
      dataset: dataset.id,
      epsilon: "0.01",
      callers: 8,
      release: true,
      declares: true,
      keys: Array.from({ length: 40 }, (_, i) => `${i}`),
    };
    const ended = await Promise.all([run(orders), run(orders)]);
    const lines = ended.flatMap(({ lines }) => lines);
    expect(ended.map(({ complaint }) => complaint)).toEqual(["", ""]);
    // Fourteen of the forty are of programs outside, which have no answer.
    expect(lines.filter(([what, , , how]) => what === "charged" && how === "new")).toHaveLength(14 + 2 * 26);
    const answers = new Set(lines.filter(([what]) => what === "released").map(([, key, , value]) => `${key} ${value}`));
    expect(answers.size, "of each key what it paid for, and the line that costs nothing").toBe(2 * 26);
  });
}
