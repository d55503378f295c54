const HOSTS = new Set(["", "localhost", "127.0.0.1", "[::1]", "::1"]);

/** Whether a host of an address, as it stands there, is the machine that reads it; an absent one is. */
export const isThisMachine = (host: string): boolean => HOSTS.has(host);
