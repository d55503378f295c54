import { errorList } from "./errors.ts";
import { replication } from "./replication.ts";
import { routeLists } from "./routes.ts";

const made = { errors: errorList, routes: routeLists, replication } as const;

/** A page with what only the book has, in the place that the page marks: `<!-- routes -->`. */
export const filled = (text: string): string =>
  text.replace(/^<!-- (errors|routes|replication) -->$/m, (_, name: keyof typeof made) => made[name]());
