import type { DatasetId, PrincipalId, TeamId } from "../id.ts";

/** What a binding grants: `datasetAdmin` on a dataset, `teamAdmin` on a team, the others everywhere; `auditor` on a dataset or everywhere. */
export type Role = "platformAdmin" | "datasetAdmin" | "teamAdmin" | "auditor";

export interface RoleBinding {
  readonly id: string;
  readonly principal: PrincipalId;
  readonly role: Role;
  /** A dataset for `datasetAdmin` and `auditor`, a team for `teamAdmin`, else null: everywhere. */
  readonly object: DatasetId | TeamId | null;
  readonly from: string;
  readonly until: string | null;
}

/** Plain facts for authorisation; deciding with them is the server's job. */
export interface Roles {
  readonly platformAdmin: boolean;
  readonly auditor: boolean;
  readonly auditorOf: readonly DatasetId[];
  readonly datasetAdminOf: readonly DatasetId[];
  readonly teamAdminOf: readonly TeamId[];
  readonly memberOf: readonly TeamId[];
}
