import { describe, expect, test } from "vitest";
import {
  connectedSource,
  connectionKindOf,
  connectionKinds,
  connectionOf,
  identityOf,
  isConnected,
  isLive,
  isOfKind,
  kindOf,
  parseSource,
  type Source,
  type SourceKindName,
  sourceKinds,
} from "./kinds.ts";

/** Sources as people write them, with the identity that stands in ledgers. */
const written: { readonly [K in SourceKindName]: readonly (readonly [object, string | null])[] } = {
  file: [
    [{ csv: "t.csv" }, null],
    [{ csv: "t.csv", delimiter: ";", missing: ["NA"] }, null],
    [{ parquet: "t.parquet" }, null],
    [{ duckdb: "t.duckdb", table: "people" }, null],
  ],
  postgres: [[{ postgres: { connection: "c", schema: "s", table: "t" } }, '["postgres","c","s","t"]']],
  trino: [
    [{ trino: { connection: "c", schema: "s", table: "t" } }, '["trino","c","s","t"]'],
    [{ trino: { connection: "C", schema: "S", table: "T" } }, '["trino","C","s","t"]'],
  ],
};
const names = Object.keys(sourceKinds) as readonly SourceKindName[];

describe.each(names)("a source of kind %s", (name) => {
  const row = sourceKinds[name];

  test.each(written[name])("is read as it is written, and known again: %j", (json, identity) => {
    const source = parseSource(json);
    expect(source).toEqual(json);
    expect(names.filter((each) => isOfKind(source, each))).toEqual([name]);
    expect([kindOf(source), isLive(source), identityOf(source)]).toEqual([name, row.isLive, identity]);
    expect(isConnected({ ...source })).toBe(row.connection !== null);
  });

  test("shares no field that names it with another kind", () => {
    const others = names.filter((each) => each !== name).flatMap((each) => Object.keys(sourceKinds[each].fields));
    expect(Object.keys(row.fields).filter((field) => others.includes(field))).toEqual([]);
  });

  test("is refused with a field of another kind next to it, and named in the refusal", () => {
    const [[json]] = written[name] as readonly [readonly [object, unknown]];
    for (const field of Object.keys(row.fields))
      expect(() => parseSource({ ...json, other: field })).toThrow("source.other");
    expect(() => parseSource({})).toThrow(row.shape);
  });
});

describe.each(connectionKinds)("a connection of kind %s", (kind) => {
  const { address, schemes, source } = sourceKinds[kind].connection;

  test("is named by the field of its own name", () => expect(Object.keys(sourceKinds[kind].fields)).toEqual([kind]));

  test("is known by its address, which belongs to no other kind", () => {
    expect(connectionKindOf(address, "url")).toBe(kind);
    for (const scheme of schemes) expect(connectionKindOf(`${scheme}//host/name`, "url")).toBe(kind);
    expect(() => connectionKindOf("gopher://host", "sources.a.url")).toThrow(address);
  });

  test("reaches tables whose identity tells them apart", () => {
    const table = { connection: "c", schema: "s", table: "t" };
    const sources: readonly Source[] = [
      source(table),
      connectedSource(kind, { ...table, connection: "d" }),
      connectedSource(kind, { ...table, schema: "e" }),
      connectedSource(kind, { ...table, table: "f" }),
      connectedSource(kind, { connection: "c", table: "t" }),
    ];
    expect(new Set(sources.map(identityOf)).size).toBe(sources.length);
    expect(sources.map(connectionOf)).toEqual(["c", "d", "c", "c", "c"]);
    for (const each of sources) expect(parseSource(each)).toEqual(each);
  });
});
