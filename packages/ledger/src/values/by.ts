import type { PrincipalId } from "./id.ts";

/** Who acts, in every call that changes something. The caller checks whether they may. */
export interface By {
  readonly by: PrincipalId;
}
