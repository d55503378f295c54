import { type Sequence, sequence } from "./sequence.ts";

/**
 * Synthetic adults in Californian census style. No row is a real person. Shares follow, to about a point, the published
 * Census 2000 profiles of California (tables DP-1 to DP-3): age (18 and over), sex, race, education of people of 25 and
 * over, marital status; the income of an adult averages per-capita income ($22,711) over the adult share (72.7 %).
 */
export interface Person {
  readonly person: number;
  readonly age: number;
  readonly sex: (typeof sexes)[number];
  readonly education: (typeof educations)[number];
  readonly race: (typeof races)[number];
  /** Dollars a year; a few people report a loss. */
  readonly income: number;
  readonly married: boolean;
}

/** One visit to a clinic; a person has none, one or several. */
export interface Visit {
  readonly person: number;
  readonly month: number;
  readonly kind: (typeof visitKinds)[number];
  /** Dollars. */
  readonly cost: number;
}

export const sexes = ["female", "male"] as const;
export const educations = [
  "less than 9th grade",
  "no diploma",
  "high school",
  "some college",
  "associate",
  "bachelor",
  "graduate",
] as const;
export const races = ["white", "black", "native", "asian", "pacific", "other", "two or more"] as const;
export const visitKinds = ["primary", "specialist", "emergency", "hospital", "dental"] as const;

/** DP-1: percent of all people in each age band, the first one cut at 18; DP-2 and DP-1 by band, rounded: women, married. */
const ageBands = [
  { from: 18, to: 19, percent: 2.9, women: 0.488, married: 0.04 },
  { from: 20, to: 24, percent: 7.0, women: 0.488, married: 0.22 },
  { from: 25, to: 34, percent: 15.4, women: 0.493, married: 0.53 },
  { from: 35, to: 44, percent: 16.2, women: 0.497, married: 0.66 },
  { from: 45, to: 54, percent: 12.8, women: 0.507, married: 0.67 },
  { from: 55, to: 59, percent: 4.3, women: 0.514, married: 0.68 },
  { from: 60, to: 64, percent: 3.4, women: 0.52, married: 0.67 },
  { from: 65, to: 74, percent: 5.6, women: 0.543, married: 0.62 },
  { from: 75, to: 84, percent: 3.8, women: 0.597, married: 0.5 },
  { from: 85, to: 93, percent: 1.3, women: 0.68, married: 0.28 },
] as const;

const ageWeights = ageBands.map((band) => band.percent);
/** DP-1: percent of all people, by race alone or two or more races. */
const raceWeights = [59.5, 6.7, 1.0, 10.9, 0.3, 16.8, 4.7] as const;
/** DP-2: percent of people of 25 and over; below 25 schooling is not finished, so these are our own rough shares. */
const educationWeights = [11.5, 11.7, 20.1, 22.9, 7.1, 17.1, 9.5] as const;
const youngEducationWeights = [7, 23, 26, 33, 4, 6.5, 0.5] as const;
/** Dollars: the middle income at 48 years of those who have one. Chosen to meet the per-adult mean. */
const middleIncome = [17_200, 21_200, 29_300, 35_000, 41_300, 58_000, 81_500] as const;

/** `count` people with ids 1 … count; the same seed gives the same people for ever. */
export function syntheticPeople(count: number, seed = 1): readonly Person[] {
  const draw = sequence(seed);
  return Array.from({ length: count }, (_, index) => syntheticPerson(index + 1, draw));
}

function syntheticPerson(person: number, draw: Sequence): Person {
  const band = ageBands[draw.pick(ageWeights)] ?? ageBands[0];
  const age = draw.integer(band.from, band.to);
  const sex = draw.uniform() < band.women ? "female" : "male";
  const education = draw.pick(age < 25 ? youngEducationWeights : educationWeights);
  const race = races[draw.pick(raceWeights)] ?? "other";
  const married = draw.uniform() < band.married;
  const income = syntheticIncome({ age, sex, education, married }, draw);
  return { person, age, sex, education: educations[education] ?? "high school", race, income, married };
}

interface Earner {
  readonly age: number;
  readonly sex: Person["sex"];
  readonly education: number;
  readonly married: boolean;
}

/** Log-normal around a middle that rises with education and peaks near 48; one adult in eight has none, one in 300 a loss. */
function syntheticIncome({ age, sex, education, married }: Earner, draw: Sequence): number {
  const share = draw.uniform();
  const withoutIncome = (sex === "female" ? 0.15 : 0.08) + (age < 25 ? 0.1 : 0);
  if (share < withoutIncome) return 0;
  const hump = Math.exp(-(((age - 48) / 30) ** 2));
  const level = (middleIncome[education] ?? 0) * (age > 65 ? Math.max(hump, 0.45) : hump);
  const factor = (sex === "female" ? 0.72 : 1.12) * (married && sex === "male" ? 1.12 : 1);
  const dollars = 10 * Math.round((level * factor * Math.exp(0.72 * draw.normal())) / 10);
  return share > 1 - 1 / 300 ? -Math.min(dollars, 10_000) : Math.min(dollars, 900_000);
}

const kindWeights = [52, 20, 7, 3, 18] as const;
const middleCost = [110, 190, 620, 7_400, 140] as const;

/** A year of visits: about half of the people have any, the older more; ids are those of `people`. */
export function syntheticVisits(people: readonly Person[]): readonly Visit[] {
  const draw = sequence(2);
  return people.flatMap(({ person, age }) => {
    const stops = 0.62 - 0.0035 * (age - 18);
    const visits: Visit[] = [];
    while (visits.length < 24 && draw.uniform() > stops) visits.push(syntheticVisit(person, draw));
    return visits;
  });
}

function syntheticVisit(person: number, draw: Sequence): Visit {
  const kind = draw.pick(kindWeights);
  return {
    person,
    month: draw.integer(1, 12),
    kind: visitKinds[kind] ?? "primary",
    cost: Math.min(60_000, Math.round((middleCost[kind] ?? 0) * Math.exp(0.6 * draw.normal()))),
  };
}

/** The way to work of one worker, of a survey whose people are not those of the other tables. */
export interface Commute {
  readonly worker: number;
  readonly mode: (typeof modes)[number];
  /** One way. */
  readonly minutes: number;
  /** Days a week worked at home. */
  readonly home: number;
}

export const modes = ["car", "bus", "train", "bicycle", "on foot"] as const;

const modeWeights = [68, 9, 7, 8, 8] as const;
const middleMinutes = [24, 38, 52, 19, 13] as const;
const homeWeights = [58, 9, 12, 9, 4, 8] as const;

/** `count` workers, always the same. */
export function syntheticCommutes(count: number): readonly Commute[] {
  const draw = sequence(3);
  return Array.from({ length: count }, (_, index) => {
    const mode = draw.pick(modeWeights);
    const minutes = Math.round((middleMinutes[mode] ?? 0) * Math.exp(0.5 * draw.normal()));
    return {
      worker: index + 1,
      mode: modes[mode] ?? "car",
      minutes: Math.min(minutes, 240),
      home: draw.pick(homeWeights),
    };
  });
}

/** A visit to a clinic that keeps its records by day. */
export interface ClinicVisit {
  readonly patient: number;
  readonly seen: string;
  readonly ward: (typeof wards)[number];
}

export const wards = ["medicine", "surgery", "children"] as const;

/** How many people come to the clinic at all. */
export const CLINIC_PATIENTS = 1_500;

/** Visits to the wards in a quiet month. In winter more people come to medicine and to the children's ward. */
const wardVisits = [220, 150, 110] as const;
const winter = [0.6, 0.4, 0.2, 0, -0.1, -0.2, -0.3, -0.3, -0.1, 0.1, 0.2, 0.5] as const;

/** Two years of visits, 2023 and 2024, by day; a few more in the second one. */
export function syntheticClinic(): readonly ClinicVisit[] {
  const draw = sequence(4);
  return Array.from({ length: 24 }, (_, month) => month).flatMap((month) =>
    wards.flatMap((ward, index) => {
      const season = ward === "surgery" ? 1 : 1 + (winter[month % 12] ?? 0);
      const visits = Math.round((wardVisits[index] ?? 0) * season * (1 + 0.004 * month) * (1 + 0.05 * draw.normal()));
      return Array.from({ length: visits }, (): ClinicVisit => {
        const day = `${2023 + Math.floor(month / 12)}-${two((month % 12) + 1)}-${two(draw.integer(1, 28))}`;
        return { patient: draw.integer(1, CLINIC_PATIENTS), seen: day, ward };
      });
    }),
  );
}

const two = (number: number): string => String(number).padStart(2, "0");

/** Rows of one shape as CSV text with a header line. Values hold no comma, quote or line end. */
export function toCsv(rows: readonly (Person | Visit | Commute | ClinicVisit)[]): string {
  const header = Object.keys(rows[0] ?? {}).join(",");
  return `${[header, ...rows.map((row) => Object.values(row).join(","))].join("\n")}\n`;
}
