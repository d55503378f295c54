import fc from "fast-check";
import type { Formula, Operation } from "../declaration/formula.ts";

const constants = fc.constantFrom<Formula>(
  { value: 0 },
  { value: 1 },
  { value: 10 },
  { value: 0.5 },
  { value: -3 },
  { value: 2.25 },
  { value: "a" },
  { value: "it's" },
  { value: "" },
  { value: true },
);
const numbers = fc.constantFrom<Formula>(
  { column: "age" },
  { column: "pay" },
  { column: "code" },
  { value: 3 },
  { value: -0.5 },
);
const texts = fc.constantFrom<Formula>({ column: "region" }, { column: "note" }, { value: "b" }, { value: "zz" });

const dates = fc.constantFrom<Formula>(
  { column: "born" },
  { column: "seen" },
  { column: "month" },
  { op: "date", of: [{ value: "2024-02-29" }] },
  { op: "date", of: [{ value: "2024-02" }] },
);
const instants = fc.constantFrom<Formula>({ column: "came" }, { column: "left" });
const instantUnits = fc.constantFrom("minute", "hour", "day", "week", "month", "year");
const dateFunctions = fc.constantFrom<Operation>("year", "quarter", "month", "week", "day", "weekday");

const node =
  (op: Operation) =>
  (...of: readonly Formula[]): Formula => ({ op, of });
const positive = fc.constantFrom<Formula>({ value: 1 }, { value: 10 }, { value: 0.5 }, { value: 0.01 });

/** Mostly well-typed formulas over born, seen, month, came, left, age, pay, code, region, note and member, and some that must be refused. */
const { number, truth, text, date, instant } = fc.letrec<{
  number: Formula;
  truth: Formula;
  text: Formula;
  date: Formula;
  instant: Formula;
}>((tie) => ({
  instant: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    instants,
    fc
      .tuple(fc.constantFrom<Operation>("+", "-"), tie("instant"), fc.constantFrom(1, 3600, 86_400))
      .map(([op, a, value]) => node(op)(a, { value })),
    fc
      .tuple(fc.constantFrom<Operation>("least", "greatest", "coalesce"), tie("instant"), tie("instant"))
      .map(([op, a, b]) => node(op)(a, b)),
  ),
  date: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    dates,
    fc.tuple(tie("instant"), instantUnits).map(([a, unit]) => node("cut")(a, { value: unit })),
    fc
      .tuple(fc.constantFrom<Operation>("+", "-"), tie("date"), tie("number"))
      .map(([op, a, b]) => node(op)(a, { op: "floor", of: [b] })),
    fc
      .tuple(tie("date"), fc.constantFrom("day", "week", "month", "quarter", "year"))
      .map(([a, unit]) => node("cut")(a, { value: unit })),
    fc
      .tuple(fc.constantFrom<Operation>("least", "greatest", "coalesce"), tie("date"), tie("date"))
      .map(([op, a, b]) => node(op)(a, b)),
    fc.tuple(tie("truth"), tie("date"), tie("date")).map((of) => node("if")(...of)),
  ),
  number: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    numbers,
    fc
      .tuple(fc.constantFrom<Operation>("+", "-", "*", "least", "greatest"), tie("number"), tie("number"))
      .map(([op, a, b]) => node(op)(a, b)),
    fc.tuple(tie("number"), positive).map(([a, b]) => node("/")(a, b)),
    fc.tuple(tie("number"), tie("number"), positive).map(([a, b, c]) => node("ratio")(a, b, c)),
    tie("number").map(node("abs")),
    fc
      .tuple(fc.constantFrom<Operation>("floor", "round", "cut"), tie("number"), positive)
      .map(([op, a, b]) => node(op)(a, b)),
    tie("number").map((a) => node("clamp")(a, { value: -2 }, { value: 7.5 })),
    fc.tuple(tie("truth"), tie("number"), tie("number")).map((of) => node("if")(...of)),
    fc.tuple(tie("number"), tie("number")).map((of) => node("coalesce")(...of)),
    tie("text").map((a) => node("map")(a, { value: "a" }, { value: 1 }, { value: "b" }, { value: 2.5 })),
    fc.tuple(dateFunctions, fc.oneof(tie("date"), tie("instant"))).map(([op, a]) => node(op)(a)),
    fc.tuple(fc.constantFrom<Operation>("hour", "minute"), tie("instant")).map(([op, a]) => node(op)(a)),
    fc.tuple(tie("instant"), tie("instant")).map(([a, b]) => node("-")(a, b)),
    fc.tuple(fc.constantFrom<Operation>("-", "age"), tie("date"), tie("date")).map(([op, a, b]) => node(op)(a, b)),
  ),
  truth: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Formula>({ column: "member" }, { value: true }),
    fc
      .tuple(fc.constantFrom<Operation>("=", "!=", "<", "<=", ">", ">="), tie("number"), tie("number"))
      .map(([op, a, b]) => node(op)(a, b)),
    fc
      .tuple(fc.constantFrom<Operation>("=", "!=", "<", "<=", ">", ">="), tie("date"), tie("date"))
      .map(([op, a, b]) => node(op)(a, b)),
    fc
      .tuple(
        fc.constantFrom<Operation>("=", "!=", "<", "<=", ">", ">="),
        tie("instant"),
        fc.oneof(tie("instant"), fc.constantFrom<Formula>({ value: "2024-10-27 02:30" }, { value: "2011-12-30" })),
      )
      .map(([op, a, b]) => node(op)(a, b)),
    fc.tuple(fc.constantFrom<Operation>("=", "!="), tie("text"), tie("text")).map(([op, a, b]) => node(op)(a, b)),
    fc.tuple(fc.constantFrom<Operation>("and", "or"), tie("truth"), tie("truth")).map(([op, a, b]) => node(op)(a, b)),
    tie("truth").map(node("not")),
    fc.oneof(tie("number"), tie("text"), tie("truth")).map(node("isNull")),
    tie("number").map((a) => node("in")(a, { value: 1 }, { value: 0.5 })),
  ),
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    texts,
    fc.tuple(tie("truth"), tie("text"), tie("text")).map((of) => node("if")(...of)),
    fc.tuple(tie("text"), tie("text")).map((of) => node("coalesce")(...of)),
    tie("number").map((a) => node("bucket")(a, { value: 0 }, { value: 1.5 }, { value: 20 })),
    fc.tuple(tie("text"), fc.oneof(tie("text"), tie("truth"), tie("number"))).map((of) => node("join")(...of)),
    tie("text").map((a) =>
      node("map")(a, { value: "a" }, { value: "north" }, { value: "" }, { value: "b" }, { value: "rest" }),
    ),
  ),
}));

export const formula: fc.Arbitrary<Formula> = fc.oneof(number, truth, text, date, instant, constants);
