/** A database that declarations name. Everything in it is a secret of the server: none of it is in a declaration, log or answer. */
export interface ConnectionSettings {
  /** The address in the format of its kind, with the password in it or given separately. */
  readonly url: string;
  readonly password?: string;
  /** A JSON Web Token in place of a password, where the kind takes one. */
  readonly token?: string;
  /** The path of a file that holds the token, read for each use: a renewed token counts at once. */
  readonly tokenFile?: string;
  /** "verify-full" unless the host is this machine: certificate and host name are checked against `ca`, or the system's own list. */
  readonly tls?: "verify-full" | "off";
  /** Certificates of trusted authorities, as PEM. */
  readonly ca?: string;
  /** Longest statement in milliseconds: a public constant, 600,000 when absent. */
  readonly timeout?: number;
  /** Accepts a role that could write; refused when absent. */
  readonly allowWritable?: boolean;
}

/** A part of an address with the characters that its %-codes stand for; null where one of them stands for none. */
export function decodedPart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
