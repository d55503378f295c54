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
  for (const text of ["[1", '{"a":1}']) expect(() => read(text)).toThrow("spends.csv");
});
