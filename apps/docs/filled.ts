import { relations, scopes } from "@dosimeter/client";
import { routes } from "@dosimeter/client/routes";
import { errorList } from "./errors.ts";
import { replication } from "./replication.ts";
import { table } from "./tables.ts";

const code = (words: string): string => `\`${words}\``;

function routeLists(): string {
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

const made = { errors: errorList, routes: routeLists, replication } as const;

/** A page with what only the book has, in the place that the page marks: `<!-- routes -->`. */
export const filled = (text: string): string =>
  text.replace(/^<!-- (errors|routes|replication) -->$/m, (_, name: keyof typeof made) => made[name]());
