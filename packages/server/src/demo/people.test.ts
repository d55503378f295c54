import { expect, test } from "vitest";
import { type Person, syntheticPeople, syntheticVisits, toCsv } from "./people.ts";

const people = syntheticPeople(20_000);

/** Published percentages of Census 2000, California (DP-1, DP-2), as a check independent of the generator's own tables. */
const published = {
  race: { white: 59.5, black: 6.7, native: 1.0, asian: 10.9, pacific: 0.3, other: 16.8, "two or more": 4.7 },
  education: {
    "less than 9th grade": 11.5,
    "no diploma": 11.7,
    "high school": 20.1,
    "some college": 22.9,
    associate: 7.1,
    bachelor: 17.1,
    graduate: 9.5,
  },
} as const;

function percent(of: readonly Person[], holds: (person: Person) => boolean): number {
  return (100 * of.filter(holds).length) / of.length;
}

test("races and schooling have the published shares, to 1.2 points", () => {
  for (const [race, share] of Object.entries(published.race)) {
    expect(Math.abs(percent(people, (p) => p.race === race) - share), race).toBeLessThan(1.2);
  }
  const schooled = people.filter((p) => p.age >= 25);
  for (const [education, share] of Object.entries(published.education)) {
    expect(Math.abs(percent(schooled, (p) => p.education === education) - share), education).toBeLessThan(1.2);
  }
});

test("sex, age and marriage are those of Californian adults", () => {
  expect(Math.abs(percent(people, (p) => p.sex === "female") - 50.9)).toBeLessThan(1.2);
  expect(Math.abs(percent(people, (p) => p.age >= 65) - (100 * 10.7) / 72.7)).toBeLessThan(1.2);
  // DP-2 gives 52.4 % of people of 15 and over; nearly none of those under 18 are married: 55.5 % of adults.
  expect(Math.abs(percent(people, (p) => p.married) - 55.5)).toBeLessThan(1.5);
  expect(Math.min(...people.map((p) => p.age))).toBe(18);
});

test("income averages per-capita income over the adult share and rises with schooling", () => {
  const mean = (of: readonly Person[]) => of.reduce((total, p) => total + p.income, 0) / of.length;
  expect(Math.abs(mean(people) / (22_711 / 0.727) - 1)).toBeLessThan(0.05);
  const byEducation = Object.keys(published.education).map((e) => mean(people.filter((p) => p.education === e)));
  expect(mean(people.filter((p) => p.education === "graduate"))).toBeGreaterThan(3 * (byEducation[0] ?? 0));
  expect(people.some((p) => p.income < 0)).toBe(true);
});

test("some people have several visits, many have none", () => {
  const visits = syntheticVisits(people);
  const perPerson = Map.groupBy(visits, (visit) => visit.person);
  expect(perPerson.size).toBeGreaterThan(8_000);
  expect(perPerson.size).toBeLessThan(12_000);
  expect([...perPerson.values()].filter((own) => own.length > 1).length).toBeGreaterThan(3_000);
});

test("a seed gives the same file for ever, another seed another one", () => {
  const text = toCsv(syntheticPeople(3));
  expect(text).toBe(toCsv(syntheticPeople(3)));
  expect(text).toMatchInlineSnapshot(`
    "person,age,sex,education,race,income,married
    1,45,male,some college,white,65910,false
    2,49,female,high school,other,0,true
    3,34,female,associate,white,70210,false
    "
  `);
  expect(toCsv(syntheticPeople(3, 7))).not.toBe(text);
});
