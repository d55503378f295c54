import scimmy from "scimmy";
import { checked, matching } from "./filter.ts";
import { MAX_RESULTS } from "./list.ts";
import { bodyOf, endsUser, patched } from "./patch.ts";
import type { Kind, Resource } from "./resources.ts";

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
  | { readonly ask: "ends"; readonly method: "PUT" | "PATCH"; readonly resource: Resource; readonly body: unknown }
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

const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const { Types, Schemas } = scimmy;
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
      return matchingIds(question);
    case "list":
      return list(question);
    case "show":
      return shown(question.kind, question.resource, question.query);
    case "check":
      return bodyOf(question.kind, question.body);
    case "patch":
      return patched(question.kind, question.resource, question.body);
    case "ends":
      return endsUser(question.method, question.resource, question.body);
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

/**
 * The resources that a filter means. Texts are compared without regard to case, as most attributes want it; those of a filter that names
 * externalId, which differ by case, exactly.
 */
function matchingIds({ kind, resources, filter: text }: Extract<Question, { ask: "match" }>) {
  const filter = checked(text).replace(/urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/gi, "");
  const whole = resources.map((resource) => ({ ...absent(kind), ...resource }));
  const meant = matching(whole, filter, /\bexternalid\b/i.test(filter));
  return resources.filter((_, index) => meant.has(index)).map(({ id }) => id);
}

/** Attributes with parts, empty: the library fails where a filter names a part of one that is missing. */
const absent = (kind: Kind): object =>
  Object.fromEntries(
    schemas[kind].definition.attributes.flatMap((one) =>
      one instanceof Types.Attribute && one.type === "complex" ? [[one.name, one.config.multiValued ? [{}] : {}]] : [],
    ),
  );

class Attributes extends Types.Resource {}

function shown(kind: Kind, resource: Resource, { base, attributes, excludedAttributes }: Query) {
  const named = {
    ...(attributes === undefined ? {} : { attributes: checked(attributes) }),
    ...(excludedAttributes === undefined ? {} : { excludedAttributes: checked(excludedAttributes) }),
  };
  const wanted = new Attributes(undefined, named).attributes;
  return new schemas[kind](resource, "out", `${base}/${kind}s`, wanted);
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
