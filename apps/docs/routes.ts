import { relations, scopes } from "@dosimeter/client";
import { routes } from "@dosimeter/client/routes";
import { table } from "./tables.ts";

const code = (words: string): string => `\`${words}\``;

/** Every route, relation and scope, from the tables of the code. */
export function routeLists(): string {
  const rows = Object.entries(routes).map(([name, { method, path, who, scope, status, summary }]) => [
    code(name),
    code(`${method} ${path}`),
    who,
    scope ?? "",
    String(status),
    summary,
  ]);
  return [
    table(["name", "route", "who", "scope", "status", ""], rows),
    table(
      ["who", ""],
      Object.entries(relations).map(([name, { means }]) => [name, means]),
    ),
    table(
      ["scope", "allows to"],
      Object.entries(scopes).map(([name, means]) => [code(name), means]),
    ),
  ].join("\n");
}
