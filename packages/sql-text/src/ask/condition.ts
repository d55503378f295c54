import { dayPeriod, firstDayOf, formatPeriod, PrivacyError, readPeriod } from "@dosimeter/core";
import {
  type Column,
  checkPredicate,
  isOrdered,
  type Key,
  type Predicate,
  predicateColumns,
  unitOfDates,
} from "@dosimeter/query/declaration";
import { OPPOSITE, type Reader } from "./reader.ts";
import { MULTIPLES } from "./spelled.ts";
import { askable, type Comparison, valuesOf } from "./vocabulary.ts";
import { decimals, keyOf, stem, type Word, wordsOf } from "./words.ts";

/** A piece that was not understood: what is wrong with it, and what may have been meant. */
export interface Missed {
  readonly at: number;
  readonly end: number;
  readonly says: string;
  readonly nearest: readonly string[];
  /** It is understood, and something is missing behind it. */
  readonly isOpen?: true;
}

export type ConditionRead =
  | { readonly predicate: Predicate; readonly to: number /** Where its first value stands. */; readonly value: number }
  | { readonly missed: Missed; readonly to: number };

/** What stands before a condition: the column that was named last, and those that its value may be of. */
export interface Before {
  readonly column: string | null;
  /** A value of this column belongs to the last condition, where that compares another way. */
  readonly last: { readonly column: string; readonly op: Predicate["op"] } | null;
  /** The statistic before it waits for its column: one behind a number may be that. */
  readonly isWaiting: boolean;
}

const UNITS = [
  "year yr yo",
  "dollar usd $",
  "euro eur €",
  "pound gbp £",
  "kr nok sek dkk",
  "yen jpy ¥",
  "rupee inr ₹",
  "franc chf",
  "day",
  "month",
  "percent %",
].map((said) => new Set(said.split(" ")));

/** Whether a word or a sign at a number is the unit of its column, or may be where that has none: of "hours a week" the hour. */
function isUnit(word: string, { unit }: Column): boolean {
  if (unit === undefined) return UNITS.some((same) => same.has(word));
  const own = stem(unit.split(/[\s/]/, 1)[0] ?? "");
  return word === own || UNITS.some((same) => same.has(word) && same.has(own));
}

const isPercent = ({ unit }: Column): boolean => unit !== undefined && isUnit("%", { unit } as Column);

const holdsIn =
  (column: Column | undefined) =>
  (value: number): boolean =>
    value >= (column?.lower ?? Number.NEGATIVE_INFINITY) && value <= (column?.upper ?? Number.POSITIVE_INFINITY);

/** What a number is in the unit of its column: of 50 % there 50, or else 0.5; of 2m where that is metres 2. */
function amountOf({ text }: Reader, { key, sign, scale, end }: Word, column: Column): number {
  const value = Number(key);
  const hundred = Number((100 * value).toPrecision(12));
  if (sign === "%") return isPercent(column) || !holdsIn(column)(value) ? hundred : value;
  return scale !== undefined &&
    /\d[km]$/i.test(text.slice(0, end)) &&
    text.charAt(end - 1).toLowerCase() === column.unit?.toLowerCase()
    ? value / scale
    : value;
}

/** Whether a number at a place is in thousands, or in millions. */
const scaleAt = ({ word }: Reader, at: number): number =>
  word(at)?.scale ??
  (Object.hasOwn(MULTIPLES, word(at + 1)?.key ?? "") ? (MULTIPLES[word(at + 1)?.key ?? ""] ?? 1) : 1);

/** Whether "year old" stands behind the numbers here: they are ages. */
function isOfYears({ word, look }: Reader, from: number): boolean {
  let at = from;
  while (word(at)?.kind === "number" || look(at, ["and", "or", "to"]) !== null) at++;
  const dash = word(at + 1)?.key === "-" ? 1 : 0;
  return word(at)?.key === "year" && word(at + 1 + dash)?.key === "old";
}

/** Reads one condition: `age over 30`, `between 10 and 20`, `women`, `region is not Oslo or Bergen`. Null where none begins here. */
// long: the words of one condition are read in turn, by one place in the line
export function readCondition(reader: Reader, from: number, before: Before): ConditionRead | null {
  const { look, word, vocabulary } = reader;
  const { columns } = vocabulary.declaration;
  const turned = turnedAt(reader, from);
  if (turned !== null) return readTurned(reader, from, turned);
  let at = from;
  let name: string | null = null;
  let op: Comparison | null = null;
  let isNegated = false;
  let isOfAge = false;
  let isFrom = false;
  const named = look(at, ["column", "compare", "not", "value"]);
  if (named?.meaning.is === "column") {
    if (named.others.length > 0) {
      const names = [named.meaning, ...named.others].flatMap((each) => (each.is === "column" ? [each.name] : []));
      return unclear(reader, at, named.to, names);
    }
    name = named.meaning.name;
    at = named.to;
  }
  let end = at; // without fillers behind it, which may be of what comes next
  for (
    let found = look(at, ["compare", "not", "missing", "filler"]);
    found !== null;
    found = look(at, ["compare", "not", "missing", "filler"])
  ) {
    const { meaning, to } = found;
    const isValue = name !== null && valueAt(reader, at, columns[name] as Column) !== null && meaning.is !== "compare";
    if (isValue) break;
    if (meaning.is === "missing") {
      const column = name ?? before.column;
      if (column === null) return null;
      const predicate: Predicate = { op: "isNull", column };
      return checked(reader, from, to, isNegated === (op === "!=") ? predicate : { op: "not", of: predicate });
    }
    if (meaning.is === "not") isNegated = !isNegated;
    if (isNegated && meaning.is === "filler" && /^(?:all|each|every|any)$/.test(word(at)?.key ?? ""))
      return {
        missed: {
          ...spanOf(reader, from, to),
          says: `“${words(reader, from, to)}” says how many, not who`,
          nearest: [],
        },
        to,
      };
    if (meaning.is === "compare") {
      isOfAge ||= meaning.ofAge === true;
      isFrom ||= word(at)?.key === "from";
      op = op === null || op === "=" ? meaning.op : op === "!=" ? OPPOSITE[meaning.op as "="] : op;
    }
    if (meaning.is === "filler" && op === null && name === null && !isNegated) break;
    at = to;
    if (meaning.is !== "filler") end = to;
  }
  const isOther = (each: { readonly name: string }): boolean => columns[each.name]?.type !== "boolean";
  // "Not income over 5", "have an income of at least 5".
  const isHad = !isNegated && op === "=" && /^ha(?:ve|s)$/.test(word(from)?.key ?? "");
  if (name === null && isHad && look(at, ["column"], isOther) !== null) return readCondition(reader, at, before);
  if (name === null && isNegated && op === null && look(at, ["column"], isOther) !== null) {
    const inner = readCondition(reader, at, before);
    if (inner !== null && "predicate" in inner)
      return checked(reader, from, inner.to, { op: "not", of: inner.predicate }, inner.value);
  }
  if (name === null && isOfAge) {
    name = vocabulary.ageColumn;
    if (name === null) return missing(reader, from, at, op);
  }
  const counted = name === null && !before.isWaiting ? countedBy(reader, at, op) : null;
  name ??= counted?.name ?? null;
  const compared = op !== null && op !== "between" && isNegated ? OPPOSITE[op] : op;
  if (name === null && word(at) !== undefined) name = columnOfValue(reader, at, compared, before);
  if (name === null) {
    const loose = look(at, ["column"], (each) => columns[each.name]?.type === "boolean");
    if (loose !== null && (op === null || op === "=" || op === "!="))
      return checked(
        reader,
        from,
        loose.to,
        { op: "=", column: loose.meaning.name, value: isNegated === (op === "!=") },
        at,
      );
    const value = look(at, ["value"]);
    if (value === null) return op === null && !isNegated ? null : missing(reader, from, at, op);
    if (value.others.length > 0)
      return unclear(
        reader,
        at,
        value.to,
        [value.meaning, ...value.others].map((each) => `${each.column} is ${words(reader, at, value.to)}`),
      );
    name = value.meaning.column;
  }
  const column = columns[name];
  if (column === undefined) return null;
  // "People from Oslo": of a place, "from" begins no range.
  if (isFrom && !isOrdered(column)) op = "=";
  const first = valueAt(reader, at, column);
  if (named?.meaning.is === "column" && op === null && !isNegated && isOtherYear(reader, at, column)) {
    const [said, year] = [words(reader, from, named.to), word(at)?.key];
    const years = yearsOf(reader).map(([each]) => `${said} where ${each} is ${year}`);
    const says = `“${words(reader, from, at + 1)}”: a value, or a year`;
    return { missed: { ...spanOf(reader, from, at + 1), says, nearest: [`${said} is ${year}`, ...years] }, to: at + 1 };
  }
  if (first === null) {
    if (column.type === "boolean" && (op === null || op === "=" || op === "!="))
      return checked(reader, from, end, { op: "=", column: name, value: isNegated === (op === "!=") });
    return op === null && !isNegated ? null : missing(reader, from, at, op, name);
  }
  const next = counted?.isNext === true ? counted.to : first.to;
  const read = withValue(reader, { from, at, name, column, op, isNegated, first: { ...first, to: next } });
  return counted === null ? read : { ...read, to: Math.max(read.to, counted.to) };
}

interface Turned {
  readonly op: Comparison;
  readonly name: string;
  readonly column: number;
  readonly to: number;
}

/** `10 <= staff`: a value before its column, with a sign between them. */
export function turnedAt(reader: Reader, from: number): Turned | null {
  const { look, word, vocabulary } = reader;
  if (!/number|date/.test(word(from)?.kind ?? "")) return null;
  let at = from + 1;
  while (word(at)?.kind === "word" && look(at, ["compare", "column"]) === null && at < from + 3) at++;
  const sign = word(at)?.kind === "symbol" ? look(at, ["compare"]) : null;
  const named = sign === null ? null : look(sign.to, ["column"]);
  if (sign === null || named === null || named.others.length > 0) return null;
  const { name } = named.meaning;
  const op = TURNED[sign.meaning.op];
  const column = vocabulary.declaration.columns[name];
  const isValue = column !== undefined && isOrdered(column) && valueAt(reader, from, column)?.to === at;
  return op !== undefined && isValue ? { op, name, column: sign.to, to: named.to } : null;
}

const TURNED: { readonly [C in Comparison]?: Comparison } = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** `10 <= staff`, and `10 <= staff <= 20` as both. */
function readTurned(reader: Reader, from: number, { op, name, column, to }: Turned): ConditionRead {
  const declared = reader.vocabulary.declaration.columns[name] as Column;
  const doubt = doubtAt(reader, from, "one", declared);
  if (doubt !== null) return { missed: doubt, to };
  const [low, high] = endsOf(valueAt(reader, from, declared)?.value ?? "", declared);
  const value = op === ">" || op === "<=" ? high : low;
  const one = checked(reader, from, to, { op, column: name, value } as Predicate);
  const isMore = reader.word(to)?.kind === "symbol" && reader.look(to, ["compare"]) !== null;
  const other = isMore ? readCondition(reader, column, { column: null, last: null, isWaiting: false }) : null;
  if (other === null || "missed" in one || "missed" in other) return other !== null && "missed" in other ? other : one;
  const scale = scaleMissed(reader, from, other.value);
  if (scale !== null) return { missed: scale, to: other.to };
  const { predicate } = other;
  const isRange = op === ">=" && predicate.op === "<=" && "value" in predicate;
  const both = isRange
    ? ({ op: "between", column: name, lower: value, upper: predicate.value } as Predicate)
    : ({ op: "and", of: [one.predicate, predicate] } as const);
  return checked(reader, from, other.to, both);
}

const YEAR = /^(?:19|20)\d{2}$/;
const isYears = ([name, { type, unit }]: readonly [string, Column]): boolean =>
  type === "date" || unit === "year" || /year/i.test(name);

/** Columns of years or of dates. */
const yearsOf = ({ vocabulary }: Reader): readonly (readonly [string, Column])[] =>
  askable(vocabulary.declaration).filter(isYears);

/** Whether a number that may be a year stands at an amount which is none: "turnover 2020". */
const isOtherYear = ({ word }: Reader, at: number, column: Column): boolean =>
  word(at)?.kind === "number" &&
  YEAR.test(word(at)?.key ?? "") &&
  /^(?:integer|number)$/.test(column.type) &&
  !isYears([column.label ?? "", column]);

interface Counted {
  readonly name: string;
  readonly to: number;
  /** Nothing stands between the number and it. */
  readonly isNext: boolean;
}

/** "more than 2 children", "2 or more children": the column of numbers that is named right behind its number. */
function countedBy({ look, word, vocabulary }: Reader, at: number, op: Comparison | null): Counted | null {
  if (word(at)?.kind !== "number") return null;
  const open = look(at + 1, ["more", "less"]);
  const found = look(open?.to ?? at + 1, ["column"]);
  const isSaid = op !== null || open !== null || word(at - 1)?.key === "with";
  if (found === null || found.others.length > 0 || !isSaid) return null;
  const { name } = found.meaning;
  const type = vocabulary.declaration.columns[name]?.type;
  return type === "integer" || type === "number" ? { name, to: found.to, isNext: open === null } : null;
}

interface Begun {
  readonly from: number;
  readonly at: number;
  readonly name: string;
  readonly column: Column;
  readonly op: Comparison | null;
  readonly isNegated: boolean;
  readonly first: { readonly value: Key; readonly to: number };
}

/** A condition from its first value on: a second end, further values, "or more". */
function withValue(reader: Reader, { from, at, name, column, op, isNegated, first }: Begun): ConditionRead {
  const { look } = reader;
  let to = first.to;
  const isLoose = op === null || op === "=" || op === "!=";
  const second = look(to, ["to", "and"], (each) => each.is === "to" || op === "between");
  const end = second === null || !isOrdered(column) ? null : valueAt(reader, second.to, column);
  const suffix = isOrdered(column) && (op === null || op === "=") ? look(to, ["more", "less"]) : null;
  const isOne = suffix !== null || end !== null || !(isLoose || op === "between");
  const comma =
    doubtAt(reader, at, isOne ? "one" : "list", op === "between" && end === null ? undefined : column) ??
    (end === null || second === null
      ? null
      : (doubtAt(reader, second.to, "one", column) ?? scaleMissed(reader, at, second.to)));
  if (comma !== null) return { missed: comma, to: end?.to ?? first.to };
  if (end !== null && (op === "between" || op === ">=" || op === "=" || op === null)) {
    const [lower, upper] = [endsOf(first.value, column)[0], endsOf(end.value, column)[1]];
    const between = { op: "between", column: name, lower, upper } as Predicate;
    return checked(reader, from, end.to, isNegated ? { op: "not", of: between } : between, at);
  }
  if (op === "between") {
    const says = `“${words(reader, from, to)}”: and which other value`;
    const isOpen = reader.word(to) === undefined ? { isOpen: true as const } : {};
    return { missed: { ...spanOf(reader, from, to), says, nearest: [], ...isOpen }, to };
  }
  if (suffix !== null) to = suffix.to;
  const said: Comparison = suffix === null ? (op ?? "=") : suffix.meaning.is === "more" ? ">=" : "<=";
  const compared = isNegated ? OPPOSITE[said] : said;
  const [low, high] = endsOf(first.value, column);
  if (compared !== "=" && compared !== "!=") {
    const value = compared === ">" || compared === "<=" ? high : low;
    return checked(reader, from, to, { op: compared, column: name, value } as Predicate, at);
  }
  if (low !== high) {
    const years = (value: Key): Predicate => {
      const [lower, upper] = endsOf(value, column);
      return { op: "between", column: name, lower, upper } as Predicate;
    };
    const all = [years(first.value)];
    for (let join = look(to, ["and", "or"]); join !== null; join = look(to, ["and", "or"])) {
      const more = valueAt(reader, look(join.to, ["or"])?.to ?? join.to, column);
      if (more === null) break;
      all.push(years(more.value));
      to = more.to;
    }
    const any: Predicate = all.length === 1 && all[0] !== undefined ? all[0] : { op: "or", of: all };
    return checked(reader, from, to, compared === "=" ? any : { op: "not", of: any }, at);
  }
  const values = [first.value];
  for (let join = look(to, ["and", "or", "not"]); join !== null; join = look(to, ["and", "or", "not"])) {
    let next = look(join.to, ["or"])?.to ?? join.to;
    next = reader.skip(next);
    const more = look(next, ["statistic", "column", "by"]) === null ? valueAt(reader, next, column) : null;
    if (more === null || column.type === "text" || (join.meaning.is === "not" && compared === "=")) break;
    const doubt = doubtAt(reader, next, "list", column);
    if (doubt !== null) return { missed: doubt, to: more.to };
    values.push(more.value);
    to = more.to;
  }
  if (values.length === 1)
    return checked(reader, from, to, { op: compared, column: name, value: first.value } as Predicate, at);
  const among: Predicate = { op: "in", column: name, values };
  return checked(reader, from, to, compared === "=" ? among : { op: "not", of: among }, at);
}

/** A value of a column that stands here. */
export function valueAt(
  reader: Reader,
  from: number,
  column: Column,
): { readonly value: Key; readonly to: number } | null {
  const { look, word, text, vocabulary } = reader;
  const { columns } = vocabulary.declaration;
  const said = word(from);
  if (said === undefined) return null;
  const isNumber = column.type === "integer" || column.type === "number" || typeof column.categories?.[0] === "number";
  if (isNumber && said.kind === "number") {
    const next = word(from + 1);
    const factor = next !== undefined && Object.hasOwn(MULTIPLES, next.key) ? MULTIPLES[next.key] : undefined;
    const value = amountOf(reader, said, column) * (factor ?? 1);
    const after = from + (factor === undefined ? 1 : 2);
    const dashed = (at: number): number => (word(at)?.key === "-" ? at + 1 : at);
    let to = after;
    const unit = word(dashed(to));
    if (/word|symbol/.test(unit?.kind ?? "") && isUnit(unit?.key ?? "", column)) {
      to = dashed(to) + 1;
      if (word(dashed(to))?.key === "old") to = dashed(to) + 1;
    }
    return { value, to: pastPeriod(reader, to, column) };
  }
  if (column.type === "date") {
    if (said.kind === "date" || said.kind === "text") return { value: said.key, to: from + 1 };
    return said.kind === "number" && /^\d{4}$/.test(said.key) ? { value: said.key, to: from + 1 } : null;
  }
  if (column.type === "boolean") {
    const value = /^(?:true|yes)$/.test(said.key) ? true : /^(?:false|no)$/.test(said.key) ? false : null;
    return value === null || said.kind === "name" ? null : { value, to: from + 1 };
  }
  if (column.type === "text") {
    if (said.kind === "text") return { value: said.key, to: from + 1 };
    const isWord =
      said.kind === "word" &&
      look(from, ["filler", "column", "statistic", "by", "where", "and", "or", "not", "missing", "compare"]) === null;
    return isWord ? { value: text.slice(said.at, said.end), to: from + 1 } : null;
  }
  if (said.kind === "text" || said.kind === "name") {
    const exact = valuesOf(column).find(([value, called]) => String(value) === said.key || called === said.key);
    if (exact !== undefined) return { value: exact[0], to: from + 1 };
    const alike = vocabulary
      .exact(keyOf(said.key) ?? "")
      .flatMap((each) => (each.is === "value" && columns[each.column] === column ? [each.value] : []));
    return alike.length === 1 && alike[0] !== undefined ? { value: alike[0], to: from + 1 } : null;
  }
  const found = look(from, ["value"], (each) => columns[each.column] === column);
  return found === null || found.others.length > 0 ? null : { value: found.meaning.value, to: found.to };
}

/** Past "per week" behind an amount of a column that is by the week itself. */
function pastPeriod({ look, vocabulary }: Reader, at: number, column: Column): number {
  const each = look(at, ["by", "filler"]);
  const period = each === null ? null : look(each.to, ["period"]);
  if (period === null) return at;
  const [name = ""] = Object.entries(vocabulary.declaration.columns).find(([, one]) => one === column) ?? [];
  const said = wordsOf(`${column.unit ?? ""} ${column.label ?? ""} ${name}`);
  return said.some(({ key }) => key === period.meaning.name) ? period.to : at;
}

/** "between 50 and 60k", "over 30 and under 40k": of one number it is not said whether it is in thousands. */
export function scaleMissed(reader: Reader, at: number, end: number): Missed | null {
  const [one, other] = [at, end].map((place) => {
    const { kind, key, scale } = reader.word(place) ?? {};
    const by = scaleAt(reader, place);
    const value = Number(key);
    return {
      kind,
      value,
      by,
      whole: scale === undefined ? value * by : value,
      to: place + (scale === undefined && by > 1 ? 2 : 1),
    };
  });
  if (one?.kind !== "number" || other?.kind !== "number") return null;
  const [first, second] = one.by < other.by ? [one, other] : [other, one];
  if (first.by === second.by || second.by === 1 || first.value === 0 || first.value >= second.by) return null;
  // One hundred to two hundred thousand; no one reads one hundred to two thousand so.
  if (first.by > 1 && first.value * second.by > second.whole) return null;
  const between = words(reader, one.to, end);
  const nearest = [first.value * second.by, first.value].map((each) =>
    first === one ? `${each} ${between} ${other.whole}` : `${one.whole} ${between} ${each}`,
  );
  return {
    ...spanOf(reader, at, other.to),
    says: `“${words(reader, at, other.to)}”: are both in the same unit`,
    nearest,
  };
}

/**
 * A number that may be read in two ways, or is in a unit that its column does not have: `12,5` is one number for many people, and two for
 * others; `1,500` is 1.5 where the column has no 1500, `1.500` may be 1500; € is no $. Null where it is clear.
 */
export function doubtAt(
  { text, word }: Reader,
  at: number,
  wants: "one" | "list" | "shares" | "whole",
  column?: Column,
): Missed | null {
  const said = word(at);
  if (said === undefined || typeof column?.categories?.[0] === "string" || column?.type === "date") return null;
  const shown = text.slice(said.at, said.end);
  const missed = (says: string, nearest: readonly string[]): Missed => ({
    ...{ at: said.at, end: said.end, nearest },
    says: `“${shown}”: ${says}`,
  });
  const holds = holdsIn(column);
  const { key, sign } = said;
  if (sign === "%" && column !== undefined && !isPercent(column)) {
    const both = [String(Number((100 * Number(key)).toPrecision(12))), key];
    if (column.unit !== undefined) return missed(`this column is in ${column.unit}`, both.slice(0, 1));
    if (both.every((each) => holds(Number(each)))) return missed("a share, or of a hundred", both);
  } else if (sign !== undefined && sign !== "%" && (column === undefined || !isUnit(sign, column)))
    return missed(column?.unit === undefined ? "no money is meant here" : `this column is in ${column.unit}`, [
      shown.replace(/^\p{Sc}\s?/u, ""),
    ]);
  if (said.other === undefined) return null;
  if (/^[^,]*\.\d{3}$/.test(shown)) {
    const isDecimal =
      column === undefined ? wants === "shares" : column.type === "number" && !holds(Number(said.other));
    return isDecimal ? null : missed("does the point set thousands apart", [said.other, decimals(key)]);
  }
  const isPair = said.other.includes(" ");
  const isFraction = column === undefined ? wants === "shares" : column.type === "number";
  const isClear = isPair
    ? wants === "one" && isFraction && said.key !== "NaN"
    : column?.type !== "number" || holds(Number(said.key)) || !holds(Number(said.other));
  if (isClear) return null;
  const nearest = [
    ...(!isPair || (isFraction && said.key !== "NaN") ? [said.key] : []),
    ...(!isPair || wants === "list" || wants === "shares" ? [said.other] : []),
  ];
  return missed("is the comma a point", nearest);
}

/** The column that a number or a date without one is of: the one named before, that of ages, or the only one. */
function columnOfValue(reader: Reader, at: number, op: Comparison | null, { column, last }: Before): string | null {
  const { word, look, vocabulary } = reader;
  const { declaration, ageColumn } = vocabulary;
  const kind = word(at)?.kind;
  const dates = askable(declaration).filter(([, { type }]) => type === "date");
  const fits = ({ type }: Column): boolean =>
    kind === "date"
      ? type === "date"
      : kind === "number" && (type === "integer" || type === "number" || type === "date");
  const of = (name: string | null): boolean =>
    name !== null && declaration.columns[name] !== undefined && fits(declaration.columns[name]);
  const isDated = op === null || /^(?:in|from|since|before|after|until|till)$/.test(word(at - 1)?.key ?? "");
  if (kind === "number" && isDated && /^(?:19|20)\d{2}$/.test(word(at)?.key ?? "")) {
    const value = Number(word(at)?.key);
    const holds = ({ lower = value, upper = value }: Column): boolean => lower <= value && value <= upper;
    const years = askable(declaration).filter(
      ([name, each]) => (each.unit === "year" || /year/i.test(name)) && fits(each) && holds(each),
    );
    const [only, another] = years.length > 0 ? years : dates;
    if (only !== undefined && another === undefined) return only[0];
    // "mean income in 2025" says when, not which incomes.
    if (op === null && word(at - 1)?.key === "in") return null;
  }
  if (kind === "date" && isDated && dates.length === 1) return dates[0]?.[0] ?? null;
  if (kind === "number" && of(ageColumn) && isOfYears(reader, at)) return ageColumn;
  const isOpen = [1, 2].some((after) => look(at + after, ["more", "less"]) !== null);
  // "mean income 100", "by age 10": nothing says that a value is meant.
  if (op === null && !isOpen) return null;
  if (of(column)) return column;
  const isSame = last !== null && op !== null && sideOf(op) !== null && sideOf(op) === sideOf(last.op);
  if (last !== null && !isSame && of(last.column)) return last.column;
  const counted = kind === "number" ? countedIn(reader, at + 1, op) : null;
  const value = Number(word(at)?.key);
  const isAge = of(ageColumn) && holdsIn(declaration.columns[ageColumn ?? ""])(value);
  // Under 40 and at least 2 children: no one has 40.
  if (counted !== null && counted !== "" && of(counted) && isAge && !holdsIn(declaration.columns[counted])(value))
    return ageColumn;
  if (counted !== null) return of(counted) ? counted : null;
  // "Over 2 children and over 30" may be about anything but children.
  if (isSame && of(last.column)) return null;
  if (kind === "number" && of(ageColumn)) return ageColumn;
  const only = askable(declaration).filter(([, each]) => fits(each));
  return only.length === 1 ? (only[0]?.[0] ?? null) : null;
}

/** Whether a comparison is with a least or a most; null of any other. */
const sideOf = (op: string): string | null => /^[<>]/.exec(op)?.[0] ?? null;

/**
 * What a number without a column counts: "2 or more than 4 children" a column, "2 women" none (""); null where it may be an age, as in "over 30
 * and over 2 children", which is no range.
 */
function countedIn({ look, word }: Pick<Reader, "look" | "word">, from: number, op: Comparison | null): string | null {
  let at = from;
  for (let join = look(at, ["or", "and"]); join !== null; join = look(at, ["or", "and"])) {
    const not = look(join.to, ["not"]);
    const compared = look(not?.to ?? join.to, ["compare"]);
    const to = compared?.to ?? not?.to ?? join.to;
    if (word(to)?.kind !== "number") return null;
    const said = compared === null || compared.meaning.op === "between" ? null : compared.meaning.op;
    const next = said === null ? null : sideOf(not === null ? said : OPPOSITE[said]);
    if (op !== null && next !== null && next === sideOf(op)) return null;
    at = to + 1;
  }
  const found = look(at, ["column", "people", "value"]);
  if (found === null) return null;
  return found.meaning.is === "column" ? found.meaning.name : at === from ? "" : null;
}

/** The first and the last period that a date names: 2020 is a year of days. */
function endsOf(value: Key, column: Column): readonly [Key, Key] {
  if (column.type !== "date" || typeof value !== "string") return [value, value];
  const read = readPeriod(value);
  const calendar = unitOfDates(column);
  if (read === null || read.unit === calendar) return [value, value];
  const first = dayPeriod(firstDayOf(read.period, read.unit), calendar);
  const last = dayPeriod(firstDayOf(read.period + 1, read.unit), calendar) - 1;
  return first > last ? [value, value] : [formatPeriod(first, calendar), formatPeriod(last, calendar)];
}

export const words = ({ text, word }: Reader, from: number, to: number): string =>
  text.slice(word(from)?.at ?? 0, word(to - 1)?.end ?? 0);

export const spanOf = ({ text, word }: Reader, from: number, to: number): Pick<Missed, "at" | "end"> => ({
  at: word(from)?.at ?? text.length,
  end: word(Math.max(from, to - 1))?.end ?? text.length,
});

const unclear = (reader: Reader, from: number, to: number, nearest: readonly string[]): ConditionRead => ({
  missed: {
    ...spanOf(reader, from, to),
    says: `“${words(reader, from, to)}” may be ${nearest.length} things`,
    nearest,
  },
  to,
});

/** A comparison without a value, or a value without a column. */
function missing(reader: Reader, from: number, at: number, op: Comparison | null, name?: string): ConditionRead {
  const { vocabulary, word, text } = reader;
  const { declaration } = vocabulary;
  const to = word(at) === undefined ? at : at + 1;
  const said = words(reader, from, Math.max(to, from + 1));
  const column = name === undefined ? undefined : declaration.columns[name];
  if (column === undefined) {
    const ordered = askable(declaration).flatMap(([each, { type }]) =>
      (op === null || op === "=" || op === "!=") !== isOrdered({ type }) ? [`${each} ${said}`] : [],
    );
    return {
      missed: {
        ...spanOf(reader, from, to),
        says: `“${said}” is about a column that is not named`,
        nearest: ordered.slice(0, 4),
      },
      to,
    };
  }
  const values = valuesOf(column).map(([, called]) => called);
  // The value alone is replaced, or put behind the text: what compares stays.
  const span = to > at ? spanOf(reader, at, to) : { at: text.length, end: text.length };
  return { missed: { ...span, says: `“${said}” has no value of ${name}`, nearest: values.slice(0, 4) }, to };
}

/** A condition that the table takes, or what it says of it. */
function checked(reader: Reader, from: number, to: number, predicate: Predicate, value = from): ConditionRead {
  try {
    return { predicate: checkPredicate(predicate, reader.vocabulary.declaration), to, value };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    const [name = ""] = predicateColumns(predicate);
    const want = typeof error.details.want === "string" ? error.details.want : "another value";
    return {
      missed: { ...spanOf(reader, from, to), says: `“${words(reader, from, to)}”: ${name} takes ${want}`, nearest: [] },
      to,
    };
  }
}
