export { columnsJson } from "./columns-json.ts";
export { MAX_SCHEMA_BYTES, readSchemaFile, readSchemaText } from "./schema.ts";
export type { ColumnWords, SchemaWords } from "./schema-words.ts";
export { parseValues, valuesText } from "./values.ts";
export { readSpellings, readWithin } from "./within-text.ts";
