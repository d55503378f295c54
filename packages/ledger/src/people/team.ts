import type { PrincipalId, TeamId } from "../id.ts";

export interface Team {
  readonly id: TeamId;
  readonly name: string;
  readonly createdAt: string;
}

/** One stay in a team. Leaving sets `until`; coming back is a new stay. */
export interface Membership {
  readonly id: string;
  readonly team: TeamId;
  readonly principal: PrincipalId;
  readonly from: string;
  readonly until: string | null;
}
