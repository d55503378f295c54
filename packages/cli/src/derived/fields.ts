import type { RouteName } from "@dosimeter/client";
import { routes, secretFieldsOf } from "@dosimeter/client/routes";
import { isRecord } from "@dosimeter/core/internal";
import { z } from "zod";

/** A JSON schema, without references and without what says that null is a value. */
export interface Shape {
  readonly id?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly isNullable: boolean;
}

/** How the text of an option is read. */
type Kind = "text" | "amount" | "number" | "switch" | "list" | "plan" | "structure" | "content";

/** One field of what a route takes. A field of an object inside the body has a path of two names. */
export interface Field {
  readonly name: string;
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly isParameter: boolean;
  readonly isSecret: boolean;
}

/** Follows references, and takes a lone null out of a choice. */
export function shapeOf(schema: z.ZodType, io: "input" | "output"): Shape {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Readonly<Record<string, unknown>>;
  const definitions = (whole.$defs ?? {}) as Readonly<Record<string, unknown>>;
  const read = (node: unknown): Shape => {
    if (!isRecord(node)) return { isNullable: false };
    const { $ref, $defs: _, anyOf, type, properties, items, ...rest } = node;
    const id = typeof $ref === "string" ? $ref.slice("#/$defs/".length) : undefined;
    const below: Shape = id === undefined ? { isNullable: false } : read(definitions[id]);
    const choices = Array.isArray(anyOf) ? anyOf : [];
    const others = choices.filter((one) => !(isRecord(one) && one.type === "null"));
    const each = others.map(read);
    // An answer of one of several kinds has the columns of all of them.
    const all = io === "output" && each.length > 1 ? Object.assign({}, ...each.map((one) => one.properties)) : {};
    const only: Shape = each.length === 1 && each[0] ? each[0] : { isNullable: false };
    const types = Array.isArray(type) ? type : [type];
    const plain = types.find((one) => one !== undefined && one !== "null");
    return {
      ...below,
      ...only,
      ...(Object.keys(all).length === 0 ? {} : { properties: all as Readonly<Record<string, Shape>> }),
      ...(id === undefined ? {} : { id }),
      ...(rest as Partial<Shape>),
      ...(plain === undefined ? {} : { type: String(plain) }),
      ...(isRecord(properties)
        ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, read(one)])) }
        : {}),
      ...(isRecord(items) ? { items: read(items) } : {}),
      isNullable: others.length < choices.length || types.includes("null") || only.isNullable || below.isNullable,
    };
  };
  const own = schema.meta()?.id;
  return { ...read(whole), ...(own === undefined ? {} : { id: own }) };
}

function kindOf({ id, type, enum: choices, items }: Shape): Kind {
  if (id === "DecimalInput") return "amount";
  if (id === "Plan") return "plan";
  if (choices !== undefined || type === "string") return "text";
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") return "number";
  return type === "array" && items?.type === "string" ? "list" : "structure";
}

/** The fields of a route: of its path, its query and its body, in this order. A page is turned by the command. */
export function fieldsOf(route: RouteName): readonly Field[] {
  const { params, query, body, stream } = routes[route];
  const secrets = secretFieldsOf(body);
  const inside = (schema: z.ZodType, isParameter: boolean): readonly Field[] => {
    const { properties = {}, required = [] } = shapeOf(schema, "input");
    return Object.entries(properties).flatMap(([name, shape]): readonly Field[] => {
      const field = { name, path: [name], shape, isRequired: required.includes(name), isParameter };
      const isSecret = secrets.includes(name);
      if (shape.properties === undefined || kindOf(shape) === "plan" || isOpen(shape))
        return [{ ...field, kind: kindOf(shape), isSecret }];
      return Object.entries(shape.properties).map(([part, one]) => ({
        ...{ name: `${name}${part.charAt(0).toUpperCase()}${part.slice(1)}`, path: [name, part] },
        ...{ kind: kindOf(one), shape: { ...one, description: `${shape.description ?? name}; its ${part}` } },
        ...{ isRequired: false, isParameter, isSecret },
      }));
    });
  };
  const content: Field = {
    ...{ name: "content", path: ["content"], kind: "content", shape: { isNullable: false } },
    ...{ isRequired: true, isParameter: false, isSecret: false },
  };
  return [
    ...inside(params, true),
    ...inside(query, false).filter(({ name }) => name !== "cursor" && name !== "wait"),
    ...(body === null ? [] : inside(body, false)),
    ...(stream ? [content] : []),
  ];
}

/** Whether an object may have fields that its schema does not name. */
const isOpen = (shape: Shape): boolean =>
  (shape as { readonly additionalProperties?: unknown }).additionalProperties !== false;
