import { expect, test } from "vitest";
import { internal, partsOf, readable, withNames } from "./addresses.ts";

const adults = { id: "dat_1", name: "adults" };
const account = { id: "acc_1", name: "Ana", datasets: ["dat_1"], datasetNames: ["adults"] };

test("an answer about a dataset makes the addresses of all its pages readable", () => {
  for (const answer of [adults, [adults], { items: [adults], next: null }, { pages: [{ items: [adults] }] }, account]) {
    const names = withNames(undefined, answer);
    expect(readable("/datasets/dat_1", names)).toBe("/datasets/adults");
    expect(readable("/datasets/dat_1/plan", names)).toBe("/datasets/adults/plan");
    expect(internal("/datasets/adults/plan", names)).toBe("/datasets/dat_1/plan");
  }
});

test("a name leads back to its thing, whatever it is made of", () => {
  for (const name of ["two words", "Größe 100 %", "データ", "a?b#c", "2024.csv", "..a", "$x", "adults'; --", "%2F"]) {
    const names = withNames(undefined, { id: "dat_1", name });
    const address = readable("/datasets/dat_1", names);
    expect(address).not.toBe("/datasets/dat_1");
    expect(new URL(address, "https://a.example").pathname, "a browser leaves it as it is").toBe(address);
    expect(internal(address, names)).toBe("/datasets/dat_1");
    expect(partsOf(`${address}?account=1`)).toEqual({ kind: "datasets", name });
  }
});

test("names that are a page, an id or a path keep the id as their address", () => {
  for (const name of ["new", "dat_2", ".", "..", "a/b", "a\\b"]) {
    const names = withNames(undefined, { id: "dat_1", name });
    expect(readable("/datasets/dat_1", names)).toBe("/datasets/dat_1");
    expect(internal(`/datasets/${name}`, names)).toBe(`/datasets/${name}`);
  }
});

test("a name that two have is the address of neither", () => {
  const one = withNames(undefined, adults);
  const both = withNames(one, [{ id: "dat_2", name: "adults" }]);
  for (const id of ["dat_1", "dat_2"]) expect(readable(`/datasets/${id}`, both)).toBe(`/datasets/${id}`);
  expect(internal("/datasets/adults", both)).toBe("/datasets/adults");
  const team = withNames(one, { id: "tem_1", name: "adults" });
  expect(readable("/datasets/dat_1", team), "a team and a dataset may").toBe("/datasets/adults");
  expect(readable("/teams/tem_1", team)).toBe("/teams/adults");
});

test("other answers and other addresses stay as they are", () => {
  const names = withNames(undefined, adults);
  for (const answer of [
    adults,
    null,
    "text",
    { id: "usr_1", name: "Ana" },
    { kind: "column", id: "dat_1", name: "income" },
    { items: [{ id: 1 }] },
  ])
    expect(withNames(names, answer)).toBe(names);
  for (const path of ["/", "/datasets", "/datasets/dat_9", "/releases/dat_1", "/datasets/%E0%A4%A"])
    expect([readable(path, names), internal(path, names)]).toEqual([path, path]);
});

test("an entry of the catalogue has an address of its own, which is not the dataset's", () => {
  const listed = { ...adults, stewards: ["Dana"] };
  for (const answer of [listed, { items: [listed] }, { kind: "listing", ...adults }]) {
    const names = withNames(undefined, answer);
    expect(readable("/catalog/dat_1", names)).toBe("/catalog/adults");
    expect(internal("/catalog/adults", names)).toBe("/catalog/dat_1");
    expect(readable("/datasets/dat_1", names)).toBe("/datasets/dat_1");
    expect(withNames(names, answer)).toBe(names);
  }
  const both = withNames(withNames(undefined, adults), listed);
  expect([readable("/catalog/dat_1", both), readable("/datasets/dat_1", both)]).toEqual([
    "/catalog/adults",
    "/datasets/adults",
  ]);
});

test("a release is at its title and its id; the id alone and the id after other words lead to it", () => {
  const of = (title: string) => withNames(undefined, { items: [{ id: "chg_1", title }] });
  const names = of("Count and mean of Income a year by Sex, ε 0.25");
  expect(readable("/releases/chg_1", names)).toBe("/releases/count-and-mean-of-income-a-year-by-sex-chg_1");
  for (const text of ["chg_1", "count-and-mean-of-income-a-year-by-sex-chg_1", "renamed-since-chg_1", "%E0%A4%A-chg_1"])
    expect(internal(`/releases/${text}?a=b`, names)).toBe("/releases/chg_1?a=b");
  for (const title of ["Größe 100 %", "データ", "a/b?c#d", "chg_2-chg_3", "x".repeat(200), "🙂 ok"]) {
    const address = readable("/releases/chg_1", of(title));
    expect(new URL(address, "https://a.example").pathname, "a browser leaves it as it is").toBe(address);
    expect(address.length).toBeLessThan(200);
    expect(internal(address)).toBe("/releases/chg_1");
  }
  for (const title of ["", "…", "🙂"]) expect(readable("/releases/chg_1", of(title))).toBe("/releases/chg_1");
  const renamed = withNames(names, { kind: "release", id: "chg_1", name: "For the board" });
  expect(readable("/releases/chg_1", renamed)).toBe("/releases/for-the-board-chg_1");
  expect(withNames(renamed, { id: "chg_1", title: "For the board" })).toBe(renamed);
});
