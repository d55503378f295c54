import { createHash } from "node:crypto";
import type { Client } from "@dosimeter/client";
import type { Dress } from "./pool.ts";
import { quotedName, quotedText } from "./sql-words.ts";

/** What one person may see, as tables. */
export interface Catalogue extends Dress {
  /** Names and ids, as a FROM may say them. */
  readonly names: readonly string[];
  /** A declared column: its type in PostgreSQL, and its values where they are declared. */
  readonly column: (dataset: string, column: string) => ShownColumn | null;
}

interface ShownColumn {
  readonly type: string;
  readonly categories: readonly (string | number)[] | null;
}

/** How long what was seen is taken for what is there, in milliseconds: of names, and of declarations. */
const FRESH_MS = 1000;
const DECLARED_MS = 60_000;
/** Tables that are shown; a plan may ask any dataset. */
const MAX_TABLES = 300;

interface Declared {
  readonly name: string;
  readonly privacyUnit: string;
  readonly columns: Readonly<Record<string, DeclaredColumn>>;
  readonly description: string | undefined;
  readonly at: number;
}
interface DeclaredColumn {
  readonly type: string;
  readonly lower?: unknown;
  readonly upper?: unknown;
  readonly unit?: string;
  readonly label?: string;
  readonly description?: string;
  readonly categories?: readonly (string | number)[];
}

/** The datasets of a session's person, asked again for each statement that is more than a second after the last. */
export function openCatalogue(client: Client): () => Promise<Catalogue> {
  const known = new Map<string, Declared>();
  let last: { readonly at: number; readonly found: Promise<Catalogue> } | null = null;

  async function declared(id: string): Promise<Declared> {
    const before = known.get(id);
    if (before !== undefined && performance.now() - before.at < DECLARED_MS) return before;
    const { name, privacyUnit, declaration } = await client.showDataset({ dataset: id });
    const { columns, description } = declaration as Pick<Declared, "columns" | "description">;
    const found = { name, privacyUnit, columns, description, at: performance.now() };
    known.set(id, found);
    return found;
  }

  async function find(): Promise<Catalogue> {
    const summaries: { readonly id: string; readonly name: string }[] = [];
    let cursor: string | undefined;
    do {
      const { items, next } = await client.listDatasets(cursor === undefined ? {} : { cursor });
      summaries.push(...items);
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    const tables = await Promise.all(
      summaries.slice(0, MAX_TABLES).map(async ({ id }) => ({ id, ...(await declared(id)) })),
    );
    const statements = statementsOf(tables);
    return {
      statements,
      key: createHash("sha256").update(statements).digest("hex"),
      names: summaries.flatMap(({ id, name }) => [id, name]),
      column(dataset, column) {
        const wanted = dataset.toLowerCase();
        const one = tables.find(({ id, name }) => id === dataset || name.toLowerCase() === wanted);
        const found = Object.entries(one?.columns ?? {}).find(([name]) => name.toLowerCase() === column.toLowerCase());
        return found === undefined ? null : { type: typeOf(found[1]), categories: found[1].categories ?? null };
      },
    };
  }

  return () => {
    if (last === null || performance.now() - last.at > FRESH_MS) {
      const found = find();
      last = { at: performance.now(), found };
      found.catch(() => {
        last = null;
      });
    }
    return last.found;
  };
}

/** PostgreSQL cuts longer names. */
const MAX_BYTES = 63;

function statementsOf(tables: readonly Declared[]): string {
  const taken = new Set<string>();
  const texts: string[] = [];
  for (const { name, privacyUnit, columns, description } of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (taken.has(name) || Buffer.byteLength(name) > MAX_BYTES || name === "") continue;
    taken.add(name);
    const table = `public.${quotedName(name)}`;
    const shown = Object.entries(columns).filter(([column]) => column !== "" && Buffer.byteLength(column) <= MAX_BYTES);
    const note = [description, `protects each ${privacyUnit}; answers aggregates alone`].filter(Boolean).join("; ");
    texts.push(
      `CREATE TABLE ${table} (${shown.map(([column, one]) => `${quotedName(column)} ${typeOf(one)}`).join(", ")})`,
      `INSERT INTO ${table} DEFAULT VALUES`,
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
      `CREATE POLICY "private rows" ON ${table} USING (dosimeter.private_rows())`,
      `COMMENT ON TABLE ${table} IS ${quotedText(note)}`,
    );
    for (const [column, one] of shown) {
      const said = noteOf(one);
      if (said !== "") texts.push(`COMMENT ON COLUMN ${table}.${quotedName(column)} IS ${quotedText(said)}`);
    }
  }
  return texts.map((text) => `${text};`).join("\n");
}

function typeOf({ type, categories = [] }: DeclaredColumn): string {
  if (type === "integer") return "bigint";
  if (type === "number") return "double precision";
  if (type === "decimal") return "numeric";
  if (type === "boolean" || type === "date") return type;
  if (type === "timestamp") return "timestamp with time zone";
  if (type === "category" && categories.length > 0 && categories.every((one) => typeof one === "number"))
    return categories.every(Number.isSafeInteger) ? "bigint" : "double precision";
  return "text";
}

function noteOf({ label, description, unit, lower, upper, categories }: DeclaredColumn): string {
  const bounds = lower === undefined && upper === undefined ? undefined : `${lower ?? "…"} to ${upper ?? "…"}`;
  const few = categories !== undefined && categories.length <= 20 ? categories.join(", ") : undefined;
  return [label, description, unit, bounds, few].filter((part) => part !== undefined && part !== "").join("; ");
}
