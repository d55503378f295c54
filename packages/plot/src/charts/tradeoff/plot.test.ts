import { compose, epsdelta, estGdp, fitAudit, fromPoints, gdp, lap } from "@dosimeter/tradeoff";
import { describe, expect, test } from "vitest";
import { asLine, asPoints, fdp, named, shortName, type TradeoffPlot, toSvg, toTable } from "../../index.ts";
import { toPng } from "../../scene/png.ts";
import { walk } from "../../scene/scene.ts";

const empirical = { alpha: [0, 0.05, 0.1, 0.25, 0.5, 1], beta: [1, 0.92, 0.85, 0.7, 0.45, 0] };
describe("names", () => {
  test("come from the curve, or are given, and stay apart", () => {
    const a = gdp(1);
    expect(fdp(a, a, a).items.map(({ name }) => name)).toEqual(["1-GDP", "1-GDP 2", "1-GDP 3"]);
    expect(fdp({ of: a, name: "X" }).items[0]!.name).toBe("X");
  });
  test("D11: a numbered name never collides with a given one, here or after joining", () => {
    const a = gdp(1);
    const direct = fdp(named(a, "X"), named(a, "X"), named(a, "X 2"));
    expect(direct.items.map(({ name }) => name)).toEqual(["X", "X 3", "X 2"]);
    const joined = fdp(named(a, "X"), named(a, "X")).plus(fdp(named(a, "X")));
    expect(new Set(joined.items.map(({ name }) => name)).size).toBe(3);
  });
  test("D14: nothing is taken from the caller's variables", () => {
    const alpha = [0, 0.5, 1];
    const curve = fdp({ of: { alpha, beta: alpha.map((a) => 1 - a) } }).items[0]!;
    expect(curve.points).toHaveLength(3);
    expect(fdp(...[gdp(1), gdp(2)]).items).toHaveLength(2);
  });
  test("D15: points made from a curve do not keep its name", () => {
    const moved = gdp(0.5)
      .evaluate([0, 0.2, 0.5, 1])
      .map(({ alpha, beta }) => ({ alpha, beta: beta * 0.99 }));
    expect(fromPoints(moved).label).toBe("points");
    expect(fdp(moved).items[0]!.name).toBe("points 1");
  });
  test("long numbers are cut in labels, not in names", () => {
    const curve = estGdp(lap(1), { digits: 12 }).curve;
    expect(shortName(curve.label)).toBe("1.03-GDP");
    expect(shortName("(1,0.126936737506644)-DP")).toBe("(1,0.1269)-DP");
    expect(fdp(curve).items[0]!.name).toBe("1.030063997625-GDP");
  });
});

describe("lines and points", () => {
  const grid = Array.from({ length: 101 }, (_, i) => (1 - i / 100) ** 2);
  test("fewer than 100 points are marks, more are a line", () => {
    expect(fdp(empirical).items[0]!.points).toHaveLength(6);
    expect(fdp(grid).items[0]!.points).toBeNull();
    expect(fdp(asPoints(grid)).items[0]!.points).toHaveLength(101);
    expect(fdp(asPoints(epsdelta(1))).items[0]!.points).toHaveLength(3);
  });
  test("a line must be convex, point by point", () => {
    const bumped = grid.map((_, i) => (i === 0 ? 1 : 0.5 * (1 - i / 100) + (i === 50 ? 1e-7 : 0)));
    expect(() => fdp(bumped)).toThrow("curve 1 (points 1): points[50].beta");
    expect(fdp(bumped, { tolerance: 1e-5 }).items).toHaveLength(1);
    expect(fdp(asPoints(bumped)).items).toHaveLength(1);
    expect(() =>
      fdp(
        gdp(1),
        asLine([
          [0.1, 0.5],
          [0.2, 0.6],
        ]),
      ),
    ).toThrow("curve 2");
    expect(() => fdp(asLine([[0.5, 0.2]]))).toThrow("at least two points");
  });
  test("rows may come in any order, and a line is drawn through all of them", () => {
    expect(
      fdp(
        asLine([
          [1, 0],
          [0, 1],
          [0.2, 0.3],
        ]),
      ).items[0]!.curve.beta(0.2),
    ).toBe(0.3);
  });
});

test("joining keeps titles, legends and axes", () => {
  const left = fdp(gdp(1), { title: "My Privacy Plot", legend: "Left" });
  const both = left.plus(fdp(lap(1), { legend: "Right", axes: "log" }));
  expect(both.options).toEqual({ title: "My Privacy Plot", legend: "Left", axes: "log" });
  expect(both.chart({ width: 500 }).title).toBe("My Privacy Plot");
  expect(fdp().plus(left).options.title).toBe("My Privacy Plot");
  expect(left.with({ axes: "probit" }).chart({ width: 400 }).scene.width).toBe(400);
});

test("a curve that is not drawn yet leaves its colour to no one", () => {
  const all = toSvg(fdp(gdp(1), lap(1), epsdelta(1)).chart({ width: 400 }).scene);
  const some = toSvg(fdp({ of: gdp(1), place: 0 }, { of: epsdelta(1), place: 2 }).chart({ width: 400 }).scene);
  const line = (svg: string, name: string) =>
    /stroke="([^"]+)"/.exec(svg.split("<path").find((part) => part.includes(`${name}: advantage`)) ?? "")?.[1];
  expect(line(some, "(1,0)-DP")).toBeDefined();
  expect(line(some, "(1,0)-DP")).toBe(line(all, "(1,0)-DP"));
  expect(line(some, "1-GDP")).toBe(line(all, "1-GDP"));
  expect(() => fdp({ of: gdp(1), place: -1 })).toThrow("place");
});

test("colours and dashes follow the arguments, whatever the names", () => {
  const lines = (plot: TradeoffPlot) =>
    [...walk(plot.chart({ width: 500 }).scene.nodes)]
      .filter(({ tag, attributes }) => tag === "path" && attributes["stroke-linejoin"] === "round")
      .map(({ attributes }) => `${attributes.stroke} ${attributes["stroke-dasharray"]}`);
  expect(lines(fdp(gdp(1), epsdelta(1)))[0]).toBe(lines(fdp(gdp(1)))[0]);
  expect(new Set(lines(fdp(gdp(1), gdp(2), gdp(3)))).size).toBe(3);
});

test("a bracketed composition and an audit show their band", () => {
  const bracketed = fdp(compose([gdp(0.5), lap(1)]));
  expect(bracketed.items[0]!.band).not.toBeNull();
  const audit = fitAudit({ absent: [0, 1, 2, 3], present: [2, 3, 4, 5] });
  const plot = fdp({ of: audit.band, band: { lower: gdp(5), upper: audit.band } });
  expect(
    [...walk(plot.chart({ width: 400 }).scene.nodes)].some(({ attributes }) => attributes["fill-opacity"] === 0.16),
  ).toBe(true);
});

test("an empty plot is a plot", () => {
  const { summary, table } = fdp().chart({ width: 400 });
  expect(summary).toContain("No trade-off functions");
  expect(table.rows).toEqual([]);
});

test.each([
  [() => fdp(gdp(1), { tolerance: -1 }), "tolerance is -1"],
  [() => fdp(gdp(1), { axes: "polar" as "log" }).chart({ width: 300 }), 'axes is "polar"'],
  [() => fdp(gdp(1), { from: 0, axes: "log" }).chart({ width: 300 }), "from is 0"],
  [() => fdp(named(gdp(1), "")), "curve 1.name"],
  [() => fdp({ of: gdp(1), draw: "dots" as "line" }), "curve 1.draw"],
  [() => fdp({ of: gdp(1), hidePoints: "yes" as unknown as boolean }), "curve 1.hidePoints"],
  [() => fdp([[0.5, 0.6]]), "curve 1 (points 1): points[0] is (0.5, 0.6), above 1 - alpha"],
  [() => fdp([]), "at least one point"],
] as const)("%s is refused", (call, text) => {
  expect(call).toThrow(text);
});

test("PNG needs no browser and no installed font", () => {
  const { scene } = fdp(epsdelta(1), gdp(1)).chart({ width: 620, heading: true });
  const png = toPng(scene);
  expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(png.buffer, png.byteOffset);
  expect([view.getUint32(16), view.getUint32(20)]).toEqual([scene.width * 2, scene.height * 2]);
  expect(toTable(fdp(gdp(6), epsdelta(6)).chart({ width: 300 }))).toContain("6-GDP");
});
