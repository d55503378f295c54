import type { Random } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { AuditCase } from "../statistics/audit-case.ts";
import { statisticNames, statisticOf } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";

export interface MadeUpRow {
  /** Which of many small tables in one the row belongs to: each has people of its own. */
  readonly block: number;
  readonly person: string | number | null;
  readonly region: string | null;
  readonly word: string | null;
  readonly age: number | null;
  readonly pay: number | null;
  readonly member: boolean | null;
}
export const madeUpNames = ["block", "person", "region", "word", "age", "pay", "member"] as const;

/** How a made-up table is declared: a schema, drawn again for every round. */
export interface MadeUpSchema {
  readonly blocks: number;
  /** How the privacy unit is written: as a text or as a whole number. */
  readonly people: "text" | "integer";
  readonly regions: readonly string[];
  readonly age: { readonly lower: number; readonly upper: number };
  readonly pay: { readonly lower: number; readonly upper: number; readonly granularity: number };
}

export const columnsOf = ({ blocks, people, regions, age, pay }: MadeUpSchema) => ({
  block: { type: "integer", lower: 0, upper: blocks },
  person: { type: people },
  region: { type: "category", categories: regions },
  word: { type: "text" },
  age: { type: "integer", ...age },
  pay: { type: "number", ...pay },
  member: { type: "boolean" },
});

const plainSchema: MadeUpSchema = {
  blocks: 1,
  people: "text",
  regions: ["a", "b", "c", "d"],
  age: { lower: 0, upper: 10 },
  pay: { lower: -4, upper: 6, granularity: 0.5 },
};
export const madeUpColumns = columnsOf(plainSchema);

const pick = <T>(random: Random, values: readonly T[]): T => values[random.uint32() % values.length] as T;

export function schemaOf(random: Random, blocks: number): MadeUpSchema {
  return {
    blocks,
    people: pick(random, ["text", "integer"]),
    regions: pick(random, [["a"], ["a", "b"], ["a", "b", "c", "d"], ["d", "b", "zz"]]),
    age: pick(random, [
      { lower: 0, upper: 10 },
      { lower: -3, upper: 4 },
      { lower: 5, upper: 6 },
      { lower: -20, upper: -1 },
    ]),
    pay: pick(random, [
      { lower: -4, upper: 6, granularity: 0.5 },
      { lower: 0, upper: 1, granularity: 0.125 },
      { lower: -8, upper: -2, granularity: 1 },
      { lower: -2, upper: 8, granularity: 2 },
    ]),
  };
}

/** Ages and pays within, at and far outside their bounds; now and then a value or a unit is missing. */
function madeUpRow(random: Random, schema: MadeUpSchema, block: number, person: MadeUpRow["person"]): MadeUpRow {
  const { lower, upper } = schema.pay;
  return {
    block,
    person,
    region: pick(random, ["a", "b", "c", "d", "zz", null]),
    word: pick(random, [...WORDS, null]),
    age: pick(random, [schema.age.lower, schema.age.upper, -30, -3, 0, 1, 4, 5, 6, 10, 14, 2 ** 40, -(2 ** 40), null]),
    pay: pick(random, [lower, upper, lower + 0.25, -9, -0.25, 0, 0.25, 1.1, 5.9, 1e300, -1e300, null]),
    member: pick(random, [true, false, null]),
  };
}
const WORDS = ["x", "y", "z", "ä"] as const;

/** Who lives in a block: the last one is the odd one out, the one before moves in when someone is replaced. */
const CROWD = 4;
export const odd = CROWD + 1;
export const newcomer = CROWD;
export const nameOf = ({ people }: MadeUpSchema, block: number, index: number): string | number =>
  people === "integer" ? block * 100 + index : `${block}/${index}`;

/** Up to 16 rows of four people and no one; the odd one has up to nine, often all alike and extreme. */
export function rowsOfBlock(random: Random, schema: MadeUpSchema, block: number): readonly MadeUpRow[] {
  const crowd = Array.from({ length: random.uint32() % 17 }, () => {
    const index = random.uint32() % (CROWD + 1);
    return madeUpRow(random, schema, block, index === CROWD ? null : nameOf(schema, block, index));
  });
  return [...crowd, ...rowsOfOne(random, schema, block, odd)];
}

export function rowsOfOne(random: Random, schema: MadeUpSchema, block: number, index: number): readonly MadeUpRow[] {
  const person = nameOf(schema, block, index);
  const count = 1 + (random.uint32() % 9);
  if (random.uint32() % 3 === 0) return Array.from({ length: count }, () => madeUpRow(random, schema, block, person));
  const region = pick(random, [schema.regions[0] ?? "a", schema.regions.at(-1) ?? "a", "everywhere"]);
  const [age, pay] = [pick(random, [99, -99]), pick(random, [99, -99])];
  return Array.from({ length: count }, (_, at) => ({
    block,
    person,
    region: region === "everywhere" ? (schema.regions[at % schema.regions.length] ?? "a") : region,
    word: region === "everywhere" ? (WORDS[at % WORDS.length] ?? "x") : "x",
    age,
    pay,
    member: true,
  }));
}

export const contributions = [
  { rows: 1 },
  { rows: 4 },
  { groups: 1, rowsPerGroup: 3 },
  { groups: 2, rowsPerGroup: 1 },
  { rows: 5, groups: 2 },
  { rows: 6, rowsPerGroup: 2 },
  { rows: 4, groups: 3, rowsPerGroup: 2 },
] as const;

export const derivedColumns = { twice: "age * 2 + 1", older: "age > 3" } as const;

/** Every question that the registry has for tables of which neighbours are compared so. */
function asked(by: AuditCase["by"], more: object, { pay }: Pick<MadeUpSchema, "pay">): readonly StatisticRequest[] {
  const bin = (share: number): number => pay.lower + share * (pay.upper - pay.lower);
  return statisticNames.flatMap((statistic) =>
    statisticOf(statistic)
      .audit.filter((each) => each.by === by)
      .map(({ asked: { bins, ...fields }, price }) => ({
        statistic,
        ...fields,
        ...(bins === undefined ? {} : { bins: bins.map(bin) }),
        ...(price ?? { epsilon: 1 }),
        ...more,
      })),
  );
}

export function questions(
  groupBy: readonly string[],
  where?: string,
  schema: Pick<MadeUpSchema, "pay"> = plainSchema,
): readonly StatisticRequest[] {
  return asked("declared", { ...(groupBy.length === 0 ? {} : { groupBy }), ...present({ where }) }, schema);
}

export const wholeQuestions = (where?: string): readonly StatisticRequest[] =>
  asked("alone", where === undefined ? {} : { where }, plainSchema);

/** Over derived columns: a plan of its own, as it needs `derivedColumns`. */
export const derivedQuestions = (groupBy: readonly string[], where?: string): readonly StatisticRequest[] => {
  const more = { epsilon: 1, ...present({ where }) };
  return [
    { statistic: "sum", column: "twice", ...more, ...(groupBy.length === 0 ? {} : { groupBy }) },
    { statistic: "count", groupBy: [...groupBy, "older"], ...more },
  ];
};

/** Questions by words that are found in the rows. */
export function keyQuestions(where?: string): readonly StatisticRequest[] {
  const more = { delta: 1e-6, ...present({ where }) };
  return asked("found", more, plainSchema).map((request) =>
    statisticOf(request.statistic).column === "key" ? request : { ...request, groupBy: ["word"], keys: "select" },
  );
}
