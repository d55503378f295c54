import { expect, test } from "vitest";
import { fromPoints } from "./points.ts";
import { fromScores, readPointsCsv, readScoresCsv } from "./points-csv.ts";

const points = (text: string) => readPointsCsv(text, "points.csv");
const scores = (text: string) => readScoresCsv(text, "a.csv");

test.each([
  ["", "empty file"],
  ["alpha,gamma\n0,1", "a heading with alpha and beta"],
  ["alpha,beta\n0,one", "line 2"],
  ["alpha,beta\n0,", 'points.csv, line 2, beta is "a missing value", must be a number'],
  ["0\t1\n0.5", "the number of cells in points.csv, line 2 is 1, must be 2, as in line 1"],
  ["0,1;0,8\n0.2;0.7", 'line 1 is "0,1", must be a number with a decimal point, as in line 2: write decimal points'],
  ["0,1\n0,1;0,8", "the number of cells in points.csv, line 2 is 3, must be 2, as in line 1: "],
  ["alpha,beta\n0,1,0,8", "decimal commas need semicolons or tabs between cells"],
  ["0.1;0.8;0.3", "the number of cells in points.csv, line 1 is 3, must be 2, or a heading with alpha and beta"],
  ["alpha,beta,Alpha\n0,1,1", 'the heading of points.csv is "alpha", must be names of which none comes twice'],
  ['alpha,beta\n0,"1', "a closing quote for every opening one"],
  ["alpha,beta\r\n0,1\n1,0", "one kind of line end"],
] as const)("the CSV %j is refused", (csv, message) => {
  expect(() => points(csv)).toThrow(message);
});
test("CSV without a heading is pairs, or 101 numbers", () => {
  expect(points("\uFEFF0,1\r\n0.5,0.2\r\n\r\n")).toEqual({ alpha: [0, 0.5], beta: [1, 0.2] });
  expect(points("1\n0.5\n0")).toEqual([1, 0.5, 0]);
});

test.each([
  ["0,1;0,8\n", "0.1;0.8\n"],
  ["0,1\t0,8\n0,25\t0,5\n", "0.1\t0.8\n0.25\t0.5\n"],
  ["beta;alpha\n0,8;0,1\n", "beta;alpha\n0.8;0.1\n"],
  ["alpha|beta\n,1|8e-1\n", "alpha|beta\n.1|8e-1\n"],
])("decimal commas %j give the curve of decimal points", (commas, dots) => {
  const [read, wanted] = [fromPoints(points(commas)), fromPoints(points(dots))];
  for (const alpha of [0, 0.05, 0.1, 0.25, 0.5, 1]) expect(read(alpha)).toBe(wanted(alpha));
  expect(fromPoints(points("0,1;0,8"))(0.1)).toBe(0.8);
});

test("scores are one column of numbers, or the one called score", () => {
  expect(scores("0.1\n2e3\n-1\n")).toEqual([0.1, 2000, -1]);
  expect(scores("score\n1\n")).toEqual([1]);
  expect(scores("id,Score\na,1\nb,2\n")).toEqual([1, 2]);
  expect(scores('id;score\n"a;b";0,5\nb;-Infinity\n')).toEqual([0.5, -Infinity]);
  expect(fromScores(scores("n;score\n1;0,5\n2;1,5\n"), scores("n;score\n1;0,75\n2;1,5\n"))(0.5)).toBe(
    fromScores([0.5, 1.5], [0.75, 1.5])(0.5),
  );
});

test.each([
  ["", "a.csv"],
  ["score\n", "one number a line"],
  ["1,2\n", "one column of numbers"],
  ["0,5\n1,5\n", "one column of numbers"],
  ["score\n0,5\n", "the number of cells in a.csv, line 2 is 2, must be 1, as in line 1"],
  ["id,value\na,1", "heading score"],
  ["NaN\n1\n2\n", "heading score"],
  ["1\n\nx\n", 'a.csv, line 2 is "a missing value"'],
  ["1\nx\n", "a.csv, line 2"],
  ["id\tscore\na\t1,234\nb\t2,345\n", 'a.csv, line 2 is "1,234", must be a number that can be read in one way only'],
])("the scores %j are refused", (csv, message) => {
  expect(() => scores(csv)).toThrow(message);
});
