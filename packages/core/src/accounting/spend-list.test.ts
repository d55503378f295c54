import { expect, test } from "vitest";
import { lossHistory } from "./history.ts";
import { byLine, readSpendList } from "./spend-list.ts";

test("CSV with a heading in any order, comments and blank lines", () => {
  const lines = readSpendList(
    "# kept by hand\ntime,delta,epsilon,count\n2026-01-05,1e-8,0.1,10\n\n2026-01-06,0,0.25,\n",
  );
  expect(lines).toEqual([
    {
      label: "2026-01-05",
      event: { kind: "repeated", count: 10, event: { kind: "approximate", epsilon: 0.1, delta: 1e-8 } },
      spend: { epsilon: 0.1, delta: 1e-8, count: 10 },
    },
    { label: "2026-01-06", event: { kind: "pure", epsilon: 0.25 }, spend: { epsilon: 0.25, delta: 0 } },
  ]);
});

test("Gaussian noise named in a column, with and without its ρ", () => {
  const [plain, known] = readSpendList("ε;δ;noise;ρ\n1;1e-6;gaussian;\n1;1e-6;gaussian;0.0178\n");
  expect(plain).toMatchObject({ event: { kind: "approximate" }, spend: { gaussian: true } });
  expect(known).toMatchObject({ event: { kind: "gdp" }, spend: { gaussian: true, rho: 0.0178 } });
});

test("decimal commas between semicolons, and cells that hold separators and quotes", () => {
  const dots = readSpendList('name,epsilon,count\n"a, ""b""",0.25,2\nc,1.5,1\n');
  expect(readSpendList('name;epsilon;count\n"a, ""b""";0,25;2\nc;1,5;1\n')).toEqual(dots);
  expect(dots[0]).toMatchObject({ label: 'a, "b"', spend: { epsilon: 0.25, count: 2 } });
});

test("JSON events, triples and spends", () => {
  const text = JSON.stringify([
    { kind: "gaussian", noiseMultiplier: 2 },
    [0.1, 1e-9, 3],
    { epsilon: 0.2, name: "mean" },
  ]);
  const lines = readSpendList(text);
  expect(lines.map(({ label }) => label)).toEqual(["1", "2", "mean"]);
  expect(lines[0]?.spend).toEqual({ rho: expect.closeTo(0.125, 12), gaussian: true });
  expect(lines[1]?.event).toMatchObject({ kind: "repeated", count: 3 });
  expect(readSpendList(JSON.stringify({ events: [{ kind: "pure", epsilon: 1 }] }))).toHaveLength(1);
  expect(readSpendList("")).toEqual([]);
});

test.each([
  ["[1", /spends/],
  ['{"a":1}', /spends/],
  ["a,b\n1,2", /heading/],
  ["epsilon,epsilno\n1,2", /heading is "epsilno", must be one of epsilon, delta/],
  ["epsilon,delta\n0.1,0\n0,1,0\n", /the number of cells in spends, line 3 is 3, must be 2, as in line 1/],
  ["epsilon,delta,name\n0.1,0\n", /the number of cells in spends, line 2 is 2, must be 3/],
  ["epsilon,eps\n0.1,0.2\n", /heading is "epsilon twice"/],
  ["epsilon;count\n0,5;1.5", /one way|decimal point, as in line 2/],
  ["epsilon\n-1", /spends\[0\]\.epsilon/],
  ["epsilon,count\n1,1.5", /spends\[0\]\.count/],
  ["[[0.1], 7]", /spends\[1\]/],
  ['[{"kind":"composed","events":[{"kind":"no"}]}]', /spends\[0\]\.events\[0\]\.kind/],
])("%s is refused with its place", (text, message) => {
  expect(() => readSpendList(text)).toThrow(message);
});

test("a message about a list says which line it means", () => {
  expect(byLine('spends[1].event is "zcdp", must be an event with a GDP mu')).toBe(
    'line 2 is "zcdp", must be an event with a GDP mu',
  );
  expect(byLine("spends[0].epsilon is -1, must be >= 0")).toBe("epsilon of line 1 is -1, must be >= 0");
  expect(byLine("spends heading is x")).toBe("spends heading is x");
});

test("a history grows and ends at the total", () => {
  const events = Array.from({ length: 100 }, () => ({ kind: "pure", epsilon: 0.1 }) as const);
  const points = lossHistory(events, { delta: 1e-6, method: "optimal", points: 10 });
  expect(points.map(({ spends }) => spends)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(points[10]?.epsilon).toBeCloseTo(4.774567588, 8);
  const repeated = lossHistory([{ kind: "repeated", count: 100, event: { kind: "pure", epsilon: 0.1 } }], {
    delta: 1e-6,
    method: "optimal",
    points: 10,
  });
  expect(repeated).toEqual(points);
  expect(lossHistory([{ kind: "zcdp", rho: 1 }], { delta: 1e-6, method: "pld" })).toEqual([]);
});
