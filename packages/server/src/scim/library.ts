import { type Fields, isRecord } from "@dosimeter/core/internal";
import scimmy from "scimmy";
import { MAX_RESULTS } from "./list.ts";

/** What SCIM 2.0 (RFC 7643, RFC 7644) says of one person or one group, as JSON. */
export type Resource = { readonly [name: string]: unknown } & { readonly id?: string };

type Kind = "User" | "Group";

/** What the library is asked: all of it may take long for a hostile filter, so that a thread of its own answers. */
export type Question =
  | { readonly ask: "match"; readonly kind: Kind; readonly resources: readonly Resource[]; readonly filter: string }
  | ({
      readonly ask: "list";
      readonly kind: Kind;
      readonly resources: readonly Resource[];
      readonly query: Query;
    } & Place)
  | { readonly ask: "show"; readonly kind: Kind; readonly resource: Resource; readonly query: Query }
  | { readonly ask: "check"; readonly kind: Kind; readonly body: unknown }
  | { readonly ask: "patch"; readonly kind: Kind; readonly resource: Resource; readonly body: unknown }
  | { readonly ask: "about"; readonly path: string; readonly base: string };

/** The parameters of a request, and the address of SCIM here. */
export interface Query {
  readonly base: string;
  readonly filter?: string | undefined;
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}

/** Where a part of a list stands in the whole. */
interface Place {
  readonly total: number;
  /** From 1. */
  readonly startIndex: number;
}

/** A refusal with the words of RFC 7644, section 3.12. */
export type Answer =
  | { readonly value: unknown }
  | { readonly refused: { readonly status: number; readonly scimType: string | null; readonly detail: string } };

/** The most characters of a filter, and of a path that may hold one. */
const MAX_FILTER = 500;
const MAX_OPERATIONS = 200;
const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const { Types, Messages, Schemas } = scimmy;
// Providers send departments and managers whether they are kept or not.
Schemas.User.definition.extend(Schemas.EnterpriseUser.definition, false);
const schemas = { User: Schemas.User, Group: Schemas.Group } as const;

export async function answer(question: Question): Promise<Answer> {
  try {
    return { value: plain(await of(question)) };
  } catch (error) {
    if (error instanceof Types.Error)
      return { refused: { status: error.status, scimType: error.scimType ?? null, detail: error.message } };
    return { refused: { status: 400, scimType: "invalidValue", detail: "this cannot be read as SCIM 2.0" } };
  }
}

const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

async function of(question: Question): Promise<unknown> {
  switch (question.ask) {
    case "match":
      return matching(question.kind, question.resources, question.filter).map(({ id }) => id);
    case "list":
      return list(question);
    case "show":
      return shown(question.kind, question.resource, question.query);
    case "check":
      return new schemas[question.kind](object(withBooleans(question.body)), "in");
    case "patch":
      return patched(question);
    case "about":
      return about(question.path, question.base);
  }
}

function list({ kind, resources, query, total, startIndex }: Extract<Question, { ask: "list" }>) {
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => shown(kind, resource, query)),
  };
}

const DATE = /^\d{4}-\d\d-\d\d/;

/**
 * The resources that a filter means. Texts are compared without regard to case, as most attributes want it; those of a filter that names
 * externalId, which differ by case, exactly.
 */
function matching(kind: Kind, resources: readonly Resource[], text: string): readonly Resource[] {
  const filter = checked(text).replace(/urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/gi, "");
  const isExact = /\bexternalid\b/i.test(filter);
  const lower = (value: string): string => (isExact || DATE.test(value) ? value : value.toLowerCase());
  const fold = (_: string, value: unknown) => (typeof value === "string" ? lower(value) : value);
  const whole = resources.map((resource) => ({ ...absent(kind), ...resource }));
  const folded = JSON.parse(JSON.stringify(whole), fold) as readonly Resource[];
  const given = filter.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inside: string) => `"${lower(inside)}"`);
  const kept = new Set(matchedBy(given, folded));
  return resources.filter((_, index) => kept.has(folded[index] as Resource));
}

function checked(filter: string): string {
  if (filter.length <= MAX_FILTER) return filter;
  throw new Types.Error(400, "invalidFilter", `a filter or path must have at most ${MAX_FILTER} characters`);
}

/** Attributes with parts, empty: the library fails where a filter names a part of one that is missing. */
const absent = (kind: Kind): object =>
  Object.fromEntries(
    schemas[kind].definition.attributes.flatMap((one) =>
      one instanceof Types.Attribute && one.type === "complex" ? [[one.name, one.config.multiValued ? [{}] : {}]] : [],
    ),
  );

function matchedBy(filter: string, resources: readonly Resource[]): readonly Resource[] {
  try {
    return new Types.Filter(filter).match([...resources]) as Resource[];
  } catch (error) {
    if (error instanceof Types.Error) throw error;
    throw new Types.Error(400, "invalidFilter", "this filter is not one of RFC 7644, or not offered");
  }
}

class Attributes extends Types.Resource {}

function shown(kind: Kind, resource: Resource, { base, attributes, excludedAttributes }: Query) {
  const named = {
    ...(attributes === undefined ? {} : { attributes: checked(attributes) }),
    ...(excludedAttributes === undefined ? {} : { excludedAttributes: checked(excludedAttributes) }),
  };
  const wanted = new Attributes(undefined, named).attributes;
  return new schemas[kind](resource, "out", `${base}/${kind}s`, wanted);
}

async function patched({ kind, resource, body }: Extract<Question, { ask: "patch" }>) {
  const message = object(withBooleans(body));
  const operations = Object.entries(message).find(([name]) => name.toLowerCase() === "operations")?.[1];
  if (!Array.isArray(operations) || operations.length > MAX_OPERATIONS)
    throw new Types.Error(400, "invalidValue", `Operations must be a list of at most ${MAX_OPERATIONS}`);
  for (const one of operations) checked(`${(one as { path?: unknown } | null)?.path ?? ""}`);
  const patch = new Messages.PatchOp({ ...message, Operations: operations.map(withoutId) } as never);
  const before = new schemas[kind](resource, "out");
  return (await patch.apply(before)) ?? before;
}

/** Providers repeat the id of what they change, which the library takes for a change of it. */
function withoutId(operation: unknown): unknown {
  const { path, value } = (operation ?? {}) as { path?: unknown; value?: unknown };
  if (path !== undefined || !isRecord(value)) return operation;
  return {
    ...(operation as object),
    value: Object.fromEntries(Object.entries(value).filter(([name]) => !["id", "schemas", "meta"].includes(name))),
  };
}

function object(value: unknown): Fields {
  if (isRecord(value)) return value;
  throw new Types.Error(400, "invalidSyntax", "the body must be one JSON object");
}

/** Entra ID sends `active` as "True" and "False". */
function withBooleans(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? null), function (this: { readonly path?: unknown }, name, value: unknown) {
    const isActive = name === "active" || (name === "value" && this.path === "active");
    if (!isActive || typeof value !== "string" || !/^(true|false)$/i.test(value)) return value;
    return value.toLowerCase() === "true";
  });
}

/** What a provider reads first: what is offered here, and which attributes there are. NULL for an address that is none of these. */
function about(path: string, base: string): unknown {
  const types = Object.entries(schemas).map(([name, schema]) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema: schema.id,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  }));
  const described = [Schemas.User, Schemas.Group, Schemas.EnterpriseUser].map((schema) =>
    schema.definition.describe(`${base}/Schemas`),
  );
  const all = (Resources: readonly unknown[]) => ({
    schemas: [LIST],
    totalResults: Resources.length,
    startIndex: 1,
    itemsPerPage: Resources.length,
    Resources,
  });
  if (path === "ServiceProviderConfig") return offered(base);
  if (path === "ResourceTypes") return all(types);
  if (path === "Schemas") return all(described);
  return [
    ...types.map((one) => [`ResourceTypes/${one.id}`, one] as const),
    ...described.map((one) => [`Schemas/${one.id}`, one] as const),
  ].find(([name]) => name === path)?.[1];
}

const offered = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token of this provider, made on the page of settings",
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});
