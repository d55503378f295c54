import { expect, test } from "vitest";
import { PrivacyError } from "../error.ts";
import { readPublications } from "./publications.ts";

const read = (text: string) => readPublications(text, { name: "spends.csv", relation: "add-or-remove-one" });

test("CSV and JSON say the same, and a row that says too little says why in its place", () => {
  const csv = read(
    "key,on,where,epsilon,delta,rowsPerUnit,relation\na,2020-01-01,a report,1,,2,\nb,,x,1,,,\nc,2021-01-01,y,-1,,,\n",
  );
  const json = [{ key: "a", on: "2020-01-01", where: "a report", epsilon: "1", rowsPerUnit: 2 }, 7];
  const [first] = csv;
  expect(first).toMatchObject({
    ...{ key: "a", on: "2020-01-01", where: "a report", rowsPerUnit: 2, relation: "add-or-remove-one" },
    events: [{ kind: "pure", epsilon: "1" }],
  });
  const [same, none] = read(JSON.stringify(json));
  expect(same).toEqual(first);
  const messages = [csv[1], csv[2], none].map((one) => (one instanceof PrivacyError ? one.message : ""));
  expect(messages).toEqual([
    expect.stringContaining("spends.csv[1].on"),
    expect.stringContaining("spends.csv[2]"),
    expect.stringContaining("spends.csv[1]"),
  ]);
  expect(
    read(
      '[{"key":"k","on":"2020-01-01","where":"w","relation":"replace-one","events":[{"kind":"pure","epsilon":"1"}]}]',
    ),
  ).toMatchObject([{ relation: "replace-one", events: [{ kind: "pure", epsilon: "1" }] }]);
  const long = `key,on,where,epsilon\n${"k,2020-01-01,w,1\n".repeat(1001)}`;
  for (const text of ["[1", '{"a":1}', "", long]) expect(() => read(text)).toThrow("spends.csv");
});

test("nothing of a price is left out without a word", () => {
  const csv = (heading: string, cells: string) => read(`key,on,where,${heading}\nk,2020-01-01,w,${cells}\n`)[0];
  expect(csv("epsilon,Delta", "1,1e-3")).toMatchObject({
    events: [{ kind: "approximate", epsilon: "1", delta: "1e-3" }],
  });
  expect(csv("mu,kind,count", "0.5,gaussian,2")).toMatchObject({ events: [{ event: { kind: "gdp", mu: "0.5" } }] });
  expect(csv("eps,Times", "1,3")).toMatchObject({ events: [{ kind: "repeated", count: 3 }] });
  const row = { key: "k", on: "2020-01-01", where: "w", epsilon: "1" };
  const json = (more: object) => read(JSON.stringify([{ ...row, ...more }]))[0];
  expect(json({ purpose: null, rowsPerUnit: null })).toEqual(json({}));
  for (const [found, says] of [
    [csv("epsilon,deltta", "1,1e-3"), "did you mean delta?"],
    [json({ kind: "gaussian", deltta: "1e-3" }), "did you mean delta?"],
    [json({ kind: "pure", delta: "1e-3" }), "absent from an event of kind pure"],
    [csv("epsilon,eps", "1,2"), "epsilon again"],
    [json({ events: [{ kind: "pure", epsilon: "0.1" }] }), "the events alone are counted"],
    [json({ mu: "1" }), '[0].epsilon is "next to mu", must be absent: a row has one loss. Remove epsilon or mu'],
    [json({ rho: "1" }), 'epsilon is "next to rho"'],
    [json({ sigma: "1" }), 'sigma is "next to epsilon"'],
    [json({ kind: "gaussian", noiseMultiplier: "2" }), "absent from an event of kind gaussian"],
    [csv("mu,delta", "1,1e-6"), 'delta is "next to mu"'],
    [csv("epsilon,mu", "1,1"), 'epsilon is "next to mu"'],
    [json({ key: null }), "key is missing"],
    [json({ key: {} }), "a text or a number"],
    [json({ rowsPerUnit: "2,000" }), "a whole number"],
  ] as const) {
    expect(found).toBeInstanceOf(PrivacyError);
    expect(String(found)).toContain(says);
  }
});
