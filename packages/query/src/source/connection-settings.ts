/** A database that declarations name. Everything in it is a secret of the server: none of it is in a declaration, log or answer. */
export interface ConnectionSettings {
  /** As the kind of source writes addresses, with the password in it or next to it. */
  readonly url: string;
  readonly password?: string;
  /** "verify-full" unless the host is this machine: certificate and host name are checked against `ca`, or the system's own list. */
  readonly tls?: "verify-full" | "off";
  /** Certificates of who may vouch for the server, as PEM. */
  readonly ca?: string;
  /** Longest statement in milliseconds: a public constant, 600,000 when absent. */
  readonly timeout?: number;
  /** A role that could write is refused unless this says that it is known. */
  readonly allowWritable?: boolean;
}
