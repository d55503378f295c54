import type { Client, DeepReadonly, Input, Output, RouteName } from "@dosimeter/client";
import { routes } from "@dosimeter/client/routes";
import { z } from "zod";

/** What a tool may change, as clients see it before they call it. */
export const effects = {
  reads: { readOnlyHint: true, openWorldHint: false },
  asksAPerson: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  spends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const;

interface Told {
  readonly title: string;
  readonly description: string;
  readonly effect: keyof typeof effects;
}

/** How a tool is run; `signal` ends the waiting, never a charge. */
type Run<In, Out> = (client: Client, input: In, signal: AbortSignal) => Promise<Out>;

/** One tool: its description for clients, the schemas of its arguments and of its answer, and how it is run. */
export interface Tool extends Told {
  readonly routes: readonly RouteName[];
  readonly input: z.ZodObject;
  /** Absent: text alone. */
  readonly output?: z.ZodType;
  readonly run: Run<Readonly<Record<string, unknown>>, object>;
}

type Fields<Name extends RouteName> = keyof Input<Name> & string;
type Keyed<Name extends RouteName> = Input<Name> & { readonly key: string };

interface OfRoute<Name extends RouteName> extends Told {
  /** Fields of the route that an agent is not offered. */
  readonly without?: readonly Fields<Name>[];
  /** Absent: the route is called with the input. */
  readonly run?: Run<Keyed<Name>, Output<Name>>;
  /** Routes that it calls afterwards. */
  readonly also?: readonly RouteName[];
}

/** A tool that is a route: what travels there are its arguments and its answer. */
export function routeTool<Name extends RouteName>(
  name: Name,
  { without = [], run, also = [], ...told }: OfRoute<Name>,
): Tool {
  const { params, query, body, response, idempotent } = routes[name];
  if (response === null) throw new RangeError(`${name} answers nothing`);
  const shape = { ...params.shape, ...query.shape, ...(body instanceof z.ZodObject ? body.shape : {}) };
  const offered = Object.entries(shape).filter(([field]) => !without.some((one) => one === field));
  return {
    ...told,
    routes: [name, ...also],
    input: z.strictObject({ ...Object.fromEntries(offered), ...(idempotent ? { key } : {}) }),
    output: response,
    run: (run ?? called(name)) as Tool["run"],
  };
}

const called =
  (name: RouteName): Tool["run"] =>
  (client, input, signal) =>
    (client[name] as (input: object, options: object) => Promise<object>)(input, { signal });

export const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 printable characters without spaces")
  .meta({
    description:
      "Names this purchase. Choose a new one for a new question; send the same one again after any doubt: it is charged once and answers the same",
  });

export const ownTool = <In extends z.ZodObject, Out extends z.ZodType<object>>(
  tool: Told & {
    readonly routes: readonly RouteName[];
    readonly input: In;
    readonly output?: Out;
    readonly run: Run<DeepReadonly<z.output<In>>, DeepReadonly<z.output<Out>>>;
  },
): Tool => tool as unknown as Tool;
