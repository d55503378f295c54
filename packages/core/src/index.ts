export type { ErrorCode, ErrorDetails } from "./error.ts";
export { errorCodes, PrivacyError } from "./error.ts";
