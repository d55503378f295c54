import { PrivacyError } from "@dosimeter/core";
import { columnsJson, readSchemaFile } from "@dosimeter/query/schema";
import { parse } from "yaml";
import { serveThread } from "../threads/serve-thread.ts";
import type { CodeBookReading } from "./code-book.ts";

serveThread((bytes: Uint8Array): CodeBookReading => {
  try {
    const { kind, columns, about } = readSchemaFile(bytes, (text) => parse(text, { maxAliasCount: 100 }));
    return {
      said: {
        kind,
        columns: columns.map((column) => ({ ...column })),
        declaration: { ...about, columns: columnsJson(columns) },
      },
    };
  } catch (error) {
    if (error instanceof PrivacyError) return { code: error.code, details: error.details, message: error.message };
    // Of YAML that is none: its words are about the file of the person who sent it.
    const message = error instanceof Error ? error.message : "it cannot be read";
    return { code: "INVALID_PARAMETER", details: { name: "schema" }, message };
  }
});
