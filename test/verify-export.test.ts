import { join } from "node:path";
import { type DpEvent, type Mu2Amount, payPure, type Rule, ruleNames, type Work, workBudget } from "@dosimeter/core";
import { planAccountant } from "@dosimeter/core/derive";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { checkExport } from "@dosimeter/verify";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  buildFixture,
  by,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  gaussian,
  pure,
} from "../packages/ledger/src/testing/fixture.kit.ts";
import { remainder } from "../packages/verify/src/remaining-mu2.ts";
import { exported } from "./export.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const folder = temporaryFolder();
let files = 0;

const open = async (options: FixtureOptions): Promise<Fixture> =>
  buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), { mostCharges: 10n ** 13n, ...options });

const many = (count: number): readonly DpEvent[] => Array.from({ length: count }, () => pure("0.01")).flat();

const pures = [pure("0.125"), many(7), pure("1e-9"), [...pure("0.1"), ...pure("1/30")]];

/** Charges that each rule admits. */
const admitted: Readonly<Record<Rule, readonly (readonly DpEvent[])[]>> = {
  addition: pures,
  tight: [...pures, gaussian("30")],
  additionThenTight: pures,
};

test.each(ruleNames)("an honest ledger passes: %s", async (rule) => {
  const fixture = await open({ rule, policy: rule === "additionThenTight" ? "auto" : "ask" });
  for (const [index, events] of admitted[rule].entries())
    await fixture.charge(`a${index}`, events, index % 2 === 0 ? fixture.adas : fixture.bobs);
  await fixture.charge("d", [{ kind: "approximate", epsilon: "0.01", delta: "1e-9" }]);
  await expect(fixture.charge("too much", pure("50"))).rejects.toThrow();
  const check = await checkExport(await exported(fixture));
  expect(check.problems).toEqual([]);
  expect(check).toMatchObject({ ok: true, signedBy: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await fixture.database.close();
});

test("a raise is replayed under its new terms; one that leaves too much is found", async () => {
  const raising = await open({ rule: "tight" });
  const { database, ledger, dataset } = raising;
  for (const { id } of [raising.ada, raising.bob])
    await database.people.grantRole({ by, principal: id, role: "datasetAdmin", object: dataset.id });
  await raising.charge("before", pure("0.2"));
  const raise = { ledger: ledger.id, epsilon: eps("8"), delta: del("2e-6"), reason: "a second wave" };
  const { id } = await database.ledgers.proposeAmendment({ ...raise, by: raising.ada.id });
  await database.ledgers.secondAmendment({ amendment: id, by: raising.bob.id });
  await raising.charge("after", pure("0.2"));
  const honest = await exported(raising, false);
  expect((await checkExport(honest)).problems).toEqual([]);
  const forged = honest.replace(/("kind":"amend".*?"remaining_mu2_after":")\d/, "$19");
  expect(forged).not.toBe(honest);
  expect((await checkExport(forged)).problems.map(({ problem }) => problem)).toContain(
    "leaves more μ² than its charges allow",
  );
  await database.close();
});

/** A training of 1000 steps, as a program outside declares it. */
const training: DpEvent = {
  kind: "repeated",
  count: 1000,
  event: { kind: "poissonSampled", rate: "0.01", event: { kind: "gaussian", noiseMultiplier: "2" } },
};

test("programs outside are listed with who vouches, and what they declare is what is counted [M388] [M390]", async () => {
  const outside = await open({ rule: "tight", delta: "1e-5" });
  const { database, adas, ada, dataset, ledger } = outside;
  await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
  const declare = (key: string, events: readonly DpEvent[]) =>
    database.declared.charge({
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key },
      declared: { events, relation: "add-or-remove-one", purpose: "a model" },
    });
  for (const epoch of [1, 2]) await declare(`train/${epoch}`, [training]);
  await declare("count", pure("0.1"));
  await outside.charge("measured", pure("0.1"));
  const published = { key: "2019", events: pure("0.1"), relation: "add-or-remove-one", purpose: "x" } as const;
  const rows = [{ ...published, published: { on: "2019-01-01", where: "a report" } }];
  await database.declared.import({ ledger: ledger.id, rows, by });
  const honest = await exported(outside, false);
  const check = await checkExport(honest);
  expect(check.problems).toEqual([]);
  expect(check.programs).toEqual([
    { name: "train", person: ada.id, charges: 2, isPublished: false },
    { name: "count", person: ada.id, charges: 1, isPublished: false },
    { name: "2019", person: by, charges: 1, isPublished: true },
  ]);
  const forged = honest.replaceAll('\\"count\\":1000', '\\"count\\":9000');
  expect(forged).not.toBe(honest);
  expect((await checkExport(forged)).problems.map(({ problem }) => problem)).toContain(
    "declares something else than was charged",
  );
  await database.close();
});

test.each([
  ["tight", "remaining_mu2_after", /("table":"plan_quote".*?"remaining_mu2_after":")(\d+)/],
  ["addition", "events", /(\\"kind\\":\\"approximate\\",\\"epsilon\\":\\"0\.)(\d+)/],
] as const)(
  "the price of a whole plan is derived again, and a lower one found: %s [M55] [M389]",
  async (rule, column, part) => {
    const outside = await open({ rule, delta: "1e-5" });
    const { database, adas, ada, bob, dataset, ledger } = outside;
    await database.declared.setRight({ account: adas.id, mostEpsilon: eps("1"), by });
    await outside.charge("before", pure("0.1"));
    await database.declared.charge({
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key: "train" },
      declared: { events: [training], relation: "add-or-remove-one", purpose: "a model" },
    });
    for (const { id } of [ada, bob])
      await database.people.grantRole({ by, principal: id, role: "datasetAdmin", object: dataset.id });
    const raise = { ledger: ledger.id, epsilon: eps("8"), delta: del("2e-5"), reason: "a second wave" };
    const { id } = await database.ledgers.proposeAmendment({ ...raise, by: ada.id });
    await database.ledgers.secondAmendment({ amendment: id, by: bob.id });
    const honest = await exported(outside, false);
    const check = (text: string, work?: Work) => checkExport(text, { accountant: planAccountant(work) });
    expect(await check(honest)).toMatchObject({ problems: [], derived: 1, takenOver: 0 });
    for (const other of [checkExport(honest), check(honest, workBudget(1e4))])
      expect(await other).toMatchObject({ problems: [], derived: 0, takenOver: 1 });
    // μ² that is left rises, an ε falls: either costs less.
    const cheaper = (digits: string) =>
      String(column === "events" ? (BigInt(digits) * 99n) / 100n : (BigInt(digits) * 101n) / 100n).padStart(
        digits.length,
        "0",
      );
    const forged = honest.replace(part, (_, before: string, digits: string) => before + cheaper(digits));
    expect(forged).not.toBe(honest);
    const problems = (await check(forged)).problems.map(({ problem }) => problem);
    expect(problems).toContain("has a lower price for its plan than its events lose");
    await database.close();
  },
);

let fixture: Fixture;
let text: string;
beforeAll(async () => {
  fixture = await open({ rule: "tight" });
  await fixture.charge("one", pure("0.125"));
  await fixture.charge("two", gaussian("8"), fixture.bobs);
  text = await exported(fixture, false);
});
afterAll(() => fixture.database.close());

test("an export holds no name, no secret and no other ledger", () => {
  for (const secret of ["Ada", "ada@example.org", "Bob", "health", "secret", "salt"])
    expect(text).not.toContain(secret);
});

const lines = () => text.trimEnd().split("\n");
const where = (part: string): number => lines().findIndex((line) => line.includes(part));
const edit = (part: string, from: RegExp, to: string): string => {
  const edited = lines();
  const index = where(part);
  const before = edited[index] ?? "";
  edited[index] = before.replace(from, to);
  expect(edited[index]).not.toBe(before);
  return `${edited.join("\n")}\n`;
};
const without = (part: string): string => `${lines().toSpliced(where(part), 1).join("\n")}\n`;

/** The export as a forger would make it who wants the last charge to be gone. */
function withoutLast(hidesLine = false): string {
  type Parsed = { table?: string; row?: Record<string, string | null>; audit?: Record<string, string | null> };
  const parsed = lines().map((line) => JSON.parse(line) as Parsed);
  const entries = parsed.filter(({ table }) => table === "entry");
  const [before, last] = entries.slice(-2).map(({ row }) => row ?? {});
  const forged = parsed.filter(({ row }) => row !== last);
  const ledger = forged.find(({ table }) => table === "ledger")?.row ?? {};
  Object.assign(ledger, {
    entries: before?.number,
    head_hash: before?.hash,
    state_remaining_mu2: before?.remaining_mu2_after,
  });
  for (const line of forged) {
    const { audit } = line;
    if (!hidesLine || audit?.subject !== last?.charge_id || audit === undefined) continue;
    const { seq = null, prev_hash = null, hash = null } = audit;
    line.audit = { seq, prev_hash, hash, ledger_id: null, body: "0".repeat(64) };
  }
  return `${forged.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

test.each<[string, () => string]>([
  ["a cheaper event", () => edit('"kind":"charge"', /0\.125/, "0.025")],
  ["a smaller ε", () => edit('"kind":"charge"', /"price_epsilon":"\d+"/, '"price_epsilon":"1"')],
  [
    "more remaining μ² left",
    () => edit('"kind":"charge"', /"remaining_mu2_after":"(\d)/, '"remaining_mu2_after":"9$1'),
  ],
  ["an entry less", () => without('"kind":"charge"')],
  ["a larger lifetime", () => edit('"table":"guarantee_version"', /\\"epsilon\\":\\"5/, '\\"epsilon\\":\\"6')],
  ["a larger quota", () => edit('"table":"account"', /"quota_epsilon":"\d+"/, '"quota_epsilon":"9"')],
  ["a transfer less", () => without('"table":"transfer"')],
  ["an audit line less", () => without('"audit"')],
  ["another actor", () => edit('"action":"charge.create"', /"actor":"\w+"/, '"actor":"prn_x"')],
  ["the last charge, with the ledger's own columns to match", () => withoutLast()],
  ["the last charge, with its audit line left blank", () => withoutLast(true)],
  ["a forgotten sum", () => edit('"table":"ledger"', /"state_remaining_mu2":"\d+"/, '"state_remaining_mu2":"1"')],
])("%s is found", async (_, forged) => {
  const { ok, problems } = await checkExport(forged());
  expect(ok).toBe(false);
  expect(problems.length).toBeGreaterThan(0);
});

test("a change behind the signature's back is found, and what is no export is refused", async () => {
  const signed = await exported(fixture);
  expect((await checkExport(signed)).ok).toBe(true);
  const { problems } = await checkExport(signed.replace('"at":"2', '"at":"3'));
  expect(problems.map(({ where }) => where)).toContain("signature");
  for (const bad of ["", "{}", "[1]", "nonsense", '{"format":"dosimeter-ledger","version":2}'])
    await expect(checkExport(bad)).rejects.toThrow(SyntaxError);
});

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "1.5",
  "-1",
  "null",
  "[null]",
  "{}",
  "__proto__",
  [],
  [null],
  {},
  { toString: 1 },
];

test("a value that no honest export has is a problem or refused with its line, and never an error of the program", async () => {
  const signed = (await exported(fixture)).trimEnd().split("\n");
  const fields = signed.flatMap((line, at) => {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    const [part = ""] = ["row", "audit", "signature"].filter((key) => key in parsed);
    const inner = Object.keys((parsed[part] ?? {}) as object).map((field) => [at, part, field] as const);
    return [...Object.keys(parsed).map((field) => [at, "", field] as const), ...inner];
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...fields), fc.constantFrom(...ODD), async ([at, part, field], odd) => {
      const parsed = JSON.parse(signed[at] ?? "") as Record<string, Record<string, unknown>>;
      Object.assign(part === "" ? parsed : (parsed[part] ?? {}), { [field]: odd });
      const forged = `${signed.with(at, JSON.stringify(parsed)).join("\n")}\n`;
      fc.pre(forged !== `${signed.join("\n")}\n`);
      const checked = await checkExport(forged).catch((error: unknown) => error);
      if (checked instanceof Error) expect(checked).toBeInstanceOf(SyntaxError);
      else expect(checked).toMatchObject({ ok: false });
    }),
    { numRuns: 300 },
  );
});

type Fields = Readonly<Record<string, unknown>>;

/** The export with other fields in the first line of a kind that says `part`. */
const put = (kind: string, part: string, fields: Fields): string => {
  const at = lines().findIndex((line) => line.startsWith(`{"${kind}`) && line.includes(part));
  const { row, audit, ...head } = JSON.parse(lines()[at] ?? "") as { readonly row?: Fields; readonly audit?: Fields };
  const forged =
    row !== undefined
      ? { ...head, row: { ...row, ...fields } }
      : audit !== undefined
        ? { audit: { ...audit, ...fields } }
        : { ...head, ...fields };
  return `${lines().with(at, JSON.stringify(forged)).join("\n")}\n`;
};

test.each([
  ["format", "", { ledger: null }, "line 1 is not the head"],
  ["format", "", { at: "x" }, "line 1 is not the head"],
  ["format", "", { head: [] }, "line 1 is not the head"],
  ["table", '"account"', { id: { toString: 1 } }, "holds no row of texts"],
  ["audit", "", { seq: 1 }, /^line \d+ holds no row of texts$/],
])("a line of another form is refused: %s %s %o", async (kind, part, fields, said) => {
  await expect(checkExport(put(kind, part, fields))).rejects.toThrow(said);
});

test.each([
  ["table", '"kind":"charge"', { events: "[null]" }, "entry 2 cannot be read"],
  ["table", '"kind":"charge"', { price_epsilon: "-1" }, 'entry 2 cannot be read: "-1" is no amount'],
  ["table", '"kind":"charge"', { number: "x" }, 'entry x cannot be read: "x" is no amount'],
  ["table", '"guarantee_version"', { terms: "null" }, "version 1 cannot be read"],
  ["table", '"account"', { quota_epsilon: "" }, /account acc_\w+ cannot be read: "" is no amount/],
  ["table", '"transfer"', { epsilon: "1.5" }, /transfer \d+ cannot be read: "1.5" is no amount/],
  ["table", '"ledger"', { quota_epsilon: "x" }, 'ledger cannot be read: "x" is no amount'],
  ["audit", '"action":"charge.create"', { detail: "null" }, /audit line \d+ cannot be read/],
  ["audit", "", { seq: "x" }, 'audit line x cannot be read: "x" is no amount'],
])(
  "what cannot be read is said of its part, and the others are checked: %s %s %o",
  async (kind, part, fields, said) => {
    const forged = put(kind, part, fields).replace(/("table":"ledger".*"head_hash":")\w/, "$1x");
    const found = (await checkExport(forged)).problems.map(({ where, problem }) => `${where} ${problem}`);
    expect(found).toContainEqual(expect.stringMatching(said));
    if (part !== '"guarantee_version"') expect(found).toContain("ledger has another head than its entries");
  },
);

test.each(["acc_none", "itself"])(
  "an account that no path leads to from the ledger is found: its parent is %s",
  async (parent) => {
    const id = /"id":"(acc_\w+)"/.exec(lines()[where('"table":"account"')] ?? "")?.[1] ?? "";
    const { problems } = await checkExport(put("table", '"account"', { parent_id: parent === "itself" ? id : parent }));
    expect(problems).toContainEqual({ where: `account ${id}`, problem: "is not below the ledger" });
  },
);

test("accounts in a circle, without an id or twice end the check too", async () => {
  const at = lines().findIndex((line) => line.startsWith('{"table":"account"'));
  const { row } = JSON.parse(lines()[at] ?? "") as { readonly row: Fields };
  const more = [
    { ...row, id: null, parent_id: null },
    { ...row, id: "acc_a", parent_id: "acc_b" },
    { ...row, id: "acc_b", parent_id: "acc_a" },
    { ...row, parent_id: row.id },
  ].map((odd) => JSON.stringify({ table: "account", row: odd }));
  const { problems } = await checkExport(
    `${lines()
      .toSpliced(at + 1, 0, ...more)
      .join("\n")}\n`,
  );
  const lost = problems.filter(({ problem }) => problem === "is not below the ledger").map(({ where: which }) => which);
  expect(lost).toEqual(["account null", "account acc_a", "account acc_b", `account ${row.id}`]);
});

test("blocks of another period than this check knows are found", async () => {
  const { row } = JSON.parse(lines()[where('"table":"ledger"')] ?? "") as { readonly row: Fields };
  const terms = { ...JSON.parse(String(row.terms)), blocks: { every: "constructor", zone: "UTC" } };
  const { problems } = await checkExport(put("table", '"table":"ledger"', { terms: JSON.stringify(terms) }));
  const problem = "has blocks of a constructor, which this check does not know";
  expect(problems).toContainEqual({ where: "ledger", problem });
});

test.each([
  ["events that nest too deep", `[${'{"kind":"composed","events":['.repeat(20_000)}${"]}".repeat(20_000)}]`],
  ["no events", "[null]"],
  ["noise of nothing", '[{"kind":"gaussian","noiseMultiplier":"0"}]'],
  ["an event without its own", '[{"kind":"repeated","count":2}]'],
])("%s are a problem of the entry", async (_, events) => {
  const odd = edit('"kind":"charge"', /"events":"(?:[^"\\]|\\.)*"/, `"events":${JSON.stringify(events)}`);
  const { ok, problems } = await checkExport(odd);
  expect(ok).toBe(false);
  expect(problems.length).toBeGreaterThan(0);
});

test("two implementations of one equation: the ledger never leaves more than exact arithmetic allows, nor much less", () => {
  const amount = (low: number, high: number) =>
    fc
      .double({ min: Math.log(low), max: Math.log(high), noNaN: true })
      .map((x) => BigInt(Math.round(Math.exp(x) * 1e12)));
  fc.assert(
    fc.property(amount(1e-6, 60), amount(1e-9, 8), (before, epsilon) => {
      const exact = remainder(before, epsilon);
      const ours = payPure(before as Mu2Amount, Number(epsilon) / 1e12);
      if (ours === null) return;
      expect(exact).not.toBeNull();
      expect(ours <= (exact as bigint)).toBe(true);
      expect(Number((exact as bigint) - ours)).toBeLessThanOrEqual(10 + 1e-12 * Number(before));
    }),
    { numRuns: 150 },
  );
});
