import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { inputSchemaOf, outputSchemaOf } from "./schema.ts";
import { effects, type Tool } from "./tool.ts";
import { tools } from "./tools.ts";

/** A tool as clients see it. */
export const listed = ([name, { title, description, effect, input, output }]: readonly [string, Tool]) =>
  ({
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    ...(output === undefined ? {} : { outputSchema: outputSchemaOf(output) }),
    annotations: { title, ...effects[effect] },
  }) as ListedTool;

/** Those behind the listed ones. */
export const furtherTools = Object.entries(tools).map(listed);
