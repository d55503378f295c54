import { expect, test } from "vitest";
import { changed, choiceField, listField, numberField, optionalField, readAll } from "./field.ts";

const fields = {
  epsilon0: listField("1, 2", { above: 0, max: 600 }),
  k: numberField("1", { min: 1, max: 10, isWhole: true }),
  budget: optionalField({ above: 0 }),
  noise: choiceField(["laplace", "gaussian"], "laplace"),
};

test("without an address every field is as at the start", () => {
  expect(readAll(fields, {})).toEqual({
    texts: { epsilon0: "1, 2", k: "1", budget: "", noise: "laplace" },
    faults: {},
    values: { epsilon0: [1, 2], k: 1, budget: undefined, noise: "laplace" },
  });
});

test.each([
  [{ k: "1.5" }, "k"],
  [{ k: 0 }, "k"],
  [{ k: "" }, "k"],
  [{ k: "NaN" }, "k"],
  [{ k: "Infinity" }, "k"],
  [{ epsilon0: "1,,2" }, "epsilon0"],
  [{ epsilon0: 601 }, "epsilon0"],
  [{ epsilon0: "1,1,1,1,1,1,1" }, "epsilon0"],
  [{ budget: -1 }, "budget"],
  [{ noise: "toString" }, "noise"],
])("%j keeps its text, says what it must be, and gives no values", (search, name) => {
  const { faults, values, texts } = readAll(fields, search);
  expect(faults).toEqual({ [name]: expect.stringMatching(/^This is .+, must be ./) });
  expect(values).toBeUndefined();
  expect(texts[name as keyof typeof texts]).toBe(String(Object.values(search)[0]));
});

test.each(["20,000", "20 000", "2e4", "2*10^4"])("%s people are twenty thousand", (budget) => {
  expect(readAll(fields, { budget }).values).toMatchObject({ budget: 20000 });
});

test("in a list 1,500 may be one number or two, and is refused; with a space, or shorter, it is two", () => {
  expect(readAll(fields, { epsilon0: "1,500" }).faults.epsilon0).toMatch(/a comma and a space/);
  expect(readAll(fields, { epsilon0: "1, 500" }).values?.epsilon0).toEqual([1, 500]);
  expect(readAll(fields, { epsilon0: "0.1,0.5,1" }).values?.epsilon0).toEqual([0.1, 0.5, 1]);
  expect(readAll(fields, { epsilon0: "0,5" }).faults.epsilon0).toBeDefined();
});

test("what an address holds of another shape is as if it were not there", () => {
  expect(readAll(fields, { k: [1], noise: null, epsilon0: { a: 1 } }).values).toEqual(readAll(fields, {}).values);
});

test("the address holds what differs from the start, numbers as numbers, and what other panels put there", () => {
  const after = changed({ panel: "meaning", k: 3 }, { k: "1", budget: "40000", epsilon0: "0.50" }, fields);
  expect(after).toEqual({ panel: "meaning", budget: 40000, epsilon0: "0.50" });
  expect(readAll(fields, after).values).toMatchObject({ budget: 40000, epsilon0: [0.5] });
});
