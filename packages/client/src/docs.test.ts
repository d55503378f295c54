import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { relations, scopes } from "./authority.ts";
import type { Route } from "./route.ts";
import { routeNames, routes } from "./routes.ts";

const page = new URL("../../../docs/api.md", import.meta.url);
const [START, END] = ["<!-- routes -->\n", "<!-- /routes -->"];

/** The tables of `docs/api.md`, from the tables of the code. */
function tables(): string {
  const rows = routeNames.map((name) => {
    const { method, path, who, scope, status, summary }: Route = routes[name];
    return `| \`${name}\` | \`${method} ${path}\` | ${who} | ${scope ?? ""} | ${status} | ${summary} |`;
  });
  const relation = Object.entries(relations).map(([name, { means }]) => `| ${name} | ${means} |`);
  const scope = Object.entries(scopes).map(([name, means]) => `| \`${name}\` | ${means} |`);
  return [
    "| name | route | who | scope | status | |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "| who | |",
    "|---|---|",
    ...relation,
    "",
    "| scope | allows to |",
    "|---|---|",
    ...scope,
    "",
  ].join("\n");
}

test("the page lists the routes as they are (UPDATE_DOCS=1 writes them)", async () => {
  const text = await readFile(page, "utf8");
  const [before = "", rest = ""] = text.split(START);
  const [listed = "", after = ""] = rest.split(END);
  if (import.meta.env.UPDATE_DOCS) await writeFile(page, `${before}${START}${tables()}${END}${after}`);
  else expect(listed).toBe(tables());
});
