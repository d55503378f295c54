export { type ConnectionSettings, decodedPart } from "./connection-settings.ts";
export {
  type AnyFormat,
  type ConvertedFormat,
  convertedFormats,
  type FileSource,
  fileFormats,
  mayBeText,
  movedTo,
  overFile,
  type PackedFormat,
  packedFormats,
  pathIn,
  signsOf,
  type UploadFormat,
  unreadFormats,
  uploadExtensions,
  uploadFormatOf,
  uploadFormats,
} from "./file.ts";
export type { ConnectedTable } from "./kind.ts";
export {
  type ConnectionKind,
  connectedSource,
  connectionKindOf,
  connectionKinds,
  connectionOf,
  identityOf,
  isConnected,
  isLive,
  isOfKind,
  kindOf,
  limitsStatements,
  parseSource,
  type Source,
  type SourceKindName,
  type SourceOf,
  sourceKinds,
  wrongSecret,
} from "./kinds.ts";
export { type PostgresSource, postgresKind } from "./postgres.ts";
export { type TrinoSource, trinoKind } from "./trino.ts";
