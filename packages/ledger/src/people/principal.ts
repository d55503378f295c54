import type { PrincipalId } from "../id.ts";

/** Someone or something that acts. Never deleted: every event keeps its principal. */
export interface Principal {
  readonly id: PrincipalId;
  readonly kind: "user" | "service" | "agent";
  readonly name: string;
  readonly email: string | null;
  /** Made by the demo; its sign-in ends as soon as a real user exists. */
  readonly demo: boolean;
  readonly createdAt: string;
  readonly disabledAt: string | null;
}

/** The platform itself: the actor of what nobody asked for by name. It can neither sign in nor hold an account. */
export const systemPrincipal = "usr_system" as PrincipalId;
