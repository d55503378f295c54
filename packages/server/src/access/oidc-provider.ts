/** An OpenID Connect provider, as the operator writes it. */
export interface OidcProvider {
  /** Part of the sign-in address: letters, digits, hyphens. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly secretFile?: string;
  /** `openid email profile` when absent. */
  readonly scope?: string;
  /** Creates a person for each account of the provider; otherwise only people with the same verified address may sign in. */
  readonly signUp?: boolean;
  /** What people get who are in a group of the provider, and lose who are not, at each sign-in. */
  readonly groups?: GroupTable;
  /** Whether it keeps its people and groups here by SCIM: then only they may sign in, whatever `signUp` says, and no claim names the groups. */
  readonly scim?: boolean;
  /** The claim that names the groups; `groups` when absent. */
  readonly groupsClaim?: string;
  /** Allows a provider on this machine without TLS, for tests. */
  readonly insecure?: boolean;
}

/** By the names that the provider gives its groups. */
export type GroupTable = Readonly<Record<string, GroupGrant>>;

/** A role everywhere; or a team by name, as a member or as its admin. */
export interface GroupGrant {
  readonly team?: string;
  readonly role?: "platformAdmin" | "auditor" | "teamAdmin";
}
