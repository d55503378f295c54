export { columnsJson } from "./columns-json.ts";
export { readSchemaFile, readSchemaText } from "./schema.ts";
export type { ColumnWords, SchemaWords } from "./schema-words.ts";
export { parseValues, valuesText } from "./values.ts";
