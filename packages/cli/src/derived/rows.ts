import type { RouteName } from "@dosimeter/client";
import type { AnyRow, Elsewhere, Row, Rows } from "./row.ts";
import { budgetRows } from "./rows/budget.ts";
import { chargeRows } from "./rows/charges.ts";
import { dataRows } from "./rows/data.ts";
import { peopleRows } from "./rows/people.ts";

/** Every route: as a command, or where and why it is none. A route that is missing here does not compile. */
export const routeRows = { ...peopleRows, ...dataRows, ...budgetRows, ...chargeRows } as const satisfies Rows;

type Entry = Row<never> | readonly Row<never>[] | Elsewhere;

export const derivedRows: readonly AnyRow[] = (Object.entries(routeRows) as [RouteName, Entry][]).flatMap(
  ([route, entry]) => [entry].flat().flatMap((row) => ("command" in row ? [{ ...row, route } as AnyRow] : [])),
);
