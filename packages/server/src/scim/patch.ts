import { type Fields, isRecord } from "@dosimeter/core/internal";
import scimmy from "scimmy";
import { checked, matching } from "./filter.ts";
import {
  type Attribute,
  type Attributes,
  type Kind,
  keptAttributes,
  onlyActive,
  type Resource,
  type Single,
} from "./resources.ts";

const { Types } = scimmy;

const MAX_OPERATIONS = 200;

type Op = "add" | "replace" | "remove";
type Draft = Record<string, unknown>;
type Parts = Extract<Attribute, { readonly is: "list" | "parts" }>["parts"];

interface Target {
  readonly name: string;
  readonly attribute: Attribute;
  readonly filter: string | undefined;
  readonly part: string | undefined;
}

/** Where and with what one operation changes a resource. */
interface Change extends Target {
  readonly op: Op;
  readonly value: unknown;
}

/** What of a whole person or group, as POST and PUT send it, is kept here. */
export function bodyOf(kind: Kind, body: unknown): Resource {
  const given = object(body);
  const schemas = inAnyCase(given, "schemas");
  const core = coreOf(kind);
  if (Array.isArray(schemas) && schemas.length > 0 && !schemas.some((one) => `${one}`.toLowerCase() === core))
    throw new Types.Error(400, "invalidSyntax", `schemas must name ${core}`);
  const draft: Draft = {};
  setAll(draft, { kind, kept: keptAttributes[kind], op: "add" }, given);
  return draft;
}

/** A person or group after a patch of RFC 7644, section 3.5.2: each operation on what is kept here is done, each other one passed over. */
export function patched(kind: Kind, resource: Resource, body: unknown): Resource {
  const operations = inAnyCase(object(body), "operations");
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS)
    throw new Types.Error(400, "invalidValue", `Operations must be a list of 1 to ${MAX_OPERATIONS}`);
  const draft: Draft = structuredClone(resource);
  for (const operation of operations) operate(draft, { kind, kept: keptAttributes[kind] }, operation);
  return draft;
}

/** Whether a change says that a person is deactivated: each operation, or attribute of a whole, that cannot be done is passed over. */
export function endsUser(method: "PUT" | "PATCH", resource: Resource, body: unknown): boolean {
  const given = object(body);
  const listed = inAnyCase(given, "operations");
  const operations: readonly unknown[] =
    method === "PUT"
      ? Object.entries(given).map(([path, value]) => ({ op: "add", path, value }))
      : Array.isArray(listed)
        ? listed
        : [];
  const draft: Draft = { active: resource.active };
  for (const operation of operations)
    try {
      operate(draft, { kind: "User", kept: onlyActive }, operation);
    } catch {}
  return draft.active === false;
}

function operate(draft: Draft, of: Omit<How, "op">, operation: unknown): void {
  const given = object(operation);
  const op = `${inAnyCase(given, "op")}`.toLowerCase();
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw new Types.Error(400, "invalidSyntax", "op must be add, replace or remove");
  const how = { ...of, op } as const;
  const value = inAnyCase(given, "value");
  const path = inAnyCase(given, "path") ?? "";
  if (typeof path !== "string") throw new Types.Error(400, "invalidPath", "path must be a text");
  if (path.trim() !== "") set(draft, how, path, value);
  else if (op === "remove") throw new Types.Error(400, "noTarget", "remove must have a path");
  else setAll(draft, how, object(value));
}

interface How {
  readonly kind: Kind;
  readonly kept: Attributes;
  readonly op: Op;
}

/** Each key of an object without a path is one: some providers send `name.givenName` or `emails[type eq "work"].value`. */
function setAll(draft: Draft, how: How, values: Fields): void {
  for (const [path, value] of Object.entries(values)) set(draft, how, path, value);
}

function set(draft: Draft, how: How, path: string, value: unknown): void {
  if (path.trim().toLowerCase() === coreOf(how.kind)) {
    if (how.op !== "remove") setAll(draft, how, object(value));
    return;
  }
  const target = targetOf(how, path);
  if (target === null) return;
  const { name, attribute } = target;
  const change = { ...target, op: how.op, value };
  if (attribute.is === "list") draft[name] = listAfter(listIn(draft, name), attribute.parts, change);
  else if (attribute.is === "parts") draft[name] = partsAfter(draft[name], attribute.parts, change);
  else draft[name] = how.op === "remove" ? undefined : single(name, attribute.is, value);
}

const coreOf = (kind: Kind): string => `urn:ietf:params:scim:schemas:core:2.0:${kind.toLowerCase()}`;

/** Null for what is not kept here, however its path goes on. */
function targetOf({ kind, kept }: How, path: string): Target | null {
  const core = `${coreOf(kind)}:`;
  const own = path.trim().toLowerCase().startsWith(core) ? path.trim().slice(core.length) : path.trim();
  const [first = ""] = /^[^\s.[]*/.exec(own) ?? [];
  const known = keyIn(kept, first);
  if (known === null) return null;
  const [name, attribute] = known;
  const [, filter, part] =
    /^(?:\[(.*)\])?(?:\.([\w$-]+))?$/s.exec(checked(own).slice(first.length)) ?? invalidPath(path);
  if (part === undefined) return { name, attribute, filter, part };
  if (!("parts" in attribute)) return invalidPath(path);
  const partKnown = keyIn(attribute.parts, part);
  return partKnown === null ? null : { name, attribute, filter, part: partKnown[0] };
}

function invalidPath(path: string): never {
  throw new Types.Error(400, "invalidPath", `the path ${path.slice(0, 100)} must be one of RFC 7644`);
}

function keyIn<T>(table: Readonly<Record<string, T>>, name: string): readonly [string, T] | null {
  return Object.entries(table).find(([own]) => own.toLowerCase() === name.toLowerCase()) ?? null;
}

const inAnyCase = (given: Fields, name: string): unknown => keyIn(given, name)?.[1];

function object(value: unknown): Fields {
  if (isRecord(value)) return value;
  throw new Types.Error(400, "invalidSyntax", "the body must be one JSON object");
}

/** One text or truth value; some providers wrap it as a list of one `{ value }`, under its own name, or send "False" or 0. Undefined where null. */
function single(name: string, is: Single, given: unknown): string | boolean | undefined {
  const one = Array.isArray(given) && given.length === 1 ? (given[0] as unknown) : given;
  const wrapped = isRecord(one) ? [inAnyCase(one, "value"), inAnyCase(one, name)] : [];
  const value = [...wrapped, one].find((each) => each !== undefined);
  if (value === null || value === undefined) return undefined;
  if (is === "text" && (typeof value === "string" || typeof value === "number")) return `${value}`;
  const flag = `${value as string}`.trim().toLowerCase();
  if (is === "boolean" && !isRecord(value) && ["true", "1"].includes(flag)) return true;
  if (is === "boolean" && !isRecord(value) && ["false", "0"].includes(flag)) return false;
  throw new Types.Error(400, "invalidValue", `${name} must be ${is === "text" ? "a text" : "true or false"}`);
}

function partsAfter(before: unknown, parts: Parts, { name, op, part, value }: Change): Draft | undefined {
  const given = isRecord(before) ? before : {};
  if (part === undefined) {
    if (op === "remove" || value === null) return undefined;
    return { ...given, ...partsOf(name, parts, object(value)) };
  }
  return { ...given, [part]: op === "remove" ? undefined : single(`${name}.${part}`, parts[part] ?? "text", value) };
}

/** The parts that are kept of one value of a list or of a name. */
function partsOf(name: string, parts: Parts, given: Fields): Draft {
  const read = Object.entries(parts).map(([part, is]) => [part, single(`${name}.${part}`, is, inAnyCase(given, part))]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

const listIn = (draft: Draft, name: string): readonly Draft[] => (draft[name] ?? []) as readonly Draft[];

function itemsOf(name: string, parts: Parts, value: unknown): readonly Draft[] {
  const all = Array.isArray(value)
    ? (value as readonly unknown[])
    : value === null || value === undefined
      ? []
      : [value];
  return all.map((one) => partsOf(name, parts, isRecord(one) ? one : { value: one }));
}

function listAfter(before: readonly Draft[], parts: Parts, change: Change): readonly Draft[] | undefined {
  const { name, op, filter, part, value } = change;
  if (filter === undefined && part === undefined) {
    if (op === "replace") return itemsOf(name, parts, value);
    const given = itemsOf(name, parts, value);
    if (op === "add") return withOnePrimary([...before.filter((one) => !isAmong(given, one)), ...given], given);
    return value === undefined || value === null ? undefined : before.filter((one) => !isAmong(given, one));
  }
  const meant =
    filter === undefined ? new Set(before.keys()) : matching(before, plainFlags(filter), name === "members");
  if (op === "remove") {
    if (part === undefined) return before.filter((_, index) => !meant.has(index));
    return before.map((one, index) => (meant.has(index) ? { ...one, [part]: undefined } : one));
  }
  const given = part === undefined ? object(value) : { [part]: value };
  const changed = partsOf(name, parts, given);
  if (meant.size === 0) {
    const made = { ...partsOf(name, parts, statedIn(filter)), ...changed };
    return withOnePrimary([...before, made], [made]);
  }
  const after = before.map((one, index) => (meant.has(index) ? { ...one, ...changed } : one));
  return withOnePrimary(
    after,
    after.filter((_, index) => meant.has(index)),
  );
}

const isAmong = (all: readonly Draft[], { value }: Draft): boolean => all.some((one) => one.value === value);

/** The newest primary value is the only one. */
function withOnePrimary(all: readonly Draft[], changed: readonly Draft[]): readonly Draft[] {
  const primary = changed.find((one) => one.primary === true);
  return primary === undefined
    ? all
    : all.map((one) => (one === primary || one.primary !== true ? one : { ...one, primary: false }));
}

/** Entra ID asks for `primary eq "True"`. */
const plainFlags = (filter: string): string =>
  filter.replace(
    /\b(primary\s+eq\s+)"(true|false)"/gi,
    (_, before: string, flag: string) => before + flag.toLowerCase(),
  );

/** What a filter that nothing matches says of the value that is to be there: `type eq "work"`, and more by *and*. */
function statedIn(filter: string | undefined): Fields {
  const stated = (filter ?? "")
    .split(/\s+and\s+/i)
    .map((one) => /^\s*([\w$-]+)\s+eq\s+(?:"([^"\\]*)"|(true|false))\s*$/i.exec(one));
  if (filter !== undefined && stated.includes(null))
    throw new Types.Error(400, "noTarget", "the filter of this path must match a value, or say by eq what it is");
  return Object.fromEntries(stated.flatMap((one) => (one === null ? [] : [[one[1] ?? "", one[2] ?? one[3]]])));
}
