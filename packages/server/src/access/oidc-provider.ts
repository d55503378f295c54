/** An OpenID Connect provider, as the operator writes it. */
export interface OidcProvider {
  /** Part of the sign-in address: letters, digits, hyphens. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** `openid email profile` when absent. */
  readonly scope?: string;
  /** Creates a person for each account of the provider; otherwise only people with the same verified address may sign in. */
  readonly signUp?: boolean;
  /** Allows a provider on this machine without TLS, for tests. */
  readonly insecure?: boolean;
}
