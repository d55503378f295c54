import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { scopes } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import { nameFrom } from "@dosimeter/ledger";

/** Programs that people may let in. Nothing of them is stored: an id says what was registered, under a signature of this server. */
export interface McpClients {
  /** The id of a program of this name that returns to these addresses. INVALID_PARAMETER unless each is https or of the own computer. */
  register(name: string, addresses: readonly string[]): { readonly id: string; readonly name: string };
  /** What a program asks at the authorization address of the server at `origin`. INVALID_PARAMETER. */
  read(query: string, origin: string): AuthorizationRequest;
  /** INVALID_PARAMETER for an id that is not ours or is older than a year. */
  known(id: string): Program;
  /** The refresh token after one: none but the server knows it before it is given. */
  after(refresh: string): string;
}

interface Program {
  readonly name: string;
  readonly hashes: readonly string[];
}

interface AuthorizationRequest {
  readonly name: string;
  readonly address: URL;
  readonly scopes: readonly (typeof OF_AGENTS)[number][];
  /** What a code is bound to. */
  readonly bound: string;
  readonly state: string | null;
}

const DAYS = 365;
const MAX_NAME = 80;
const MAX_ADDRESS = 500;
/** Of a hash in an id: 132 bits. */
const HASH_LETTERS = 22;
const NAMELESS = "a program without a name";

/** What an agent may be given: it never manages or administers by OAuth. */
export const OF_AGENTS = ["read", "release"] as const satisfies readonly (keyof typeof scopes)[];

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** The hash of what who fetches the token must show: program, address, and the challenge to which it has the verifier. */
export const boundTo = (id: string, address: string, challenge: string): string =>
  hashOf(JSON.stringify([id, address, challenge]));

/** INVALID_PARAMETER for a token that a program would carry to another server (RFC 8707). */
export function checkResource(resource: string | undefined, origin: string): void {
  const own = `${origin}/mcp`;
  if (resource !== undefined && resource !== own) invalid("resource", resource, own);
}

/** The S256 challenge of a verifier (RFC 7636). */
export const challengeTo = (verifier: string): string => hashOf(verifier);

export function openMcpClients(key: Buffer): McpClients {
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");

  function known(id: string): Program {
    const [text = "", signature = ""] = id.split(".");
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(text))];
    const isOurs = given.length === right.length && timingSafeEqual(given, right);
    const [name, until, ...hashes] = isOurs
      ? (JSON.parse(Buffer.from(text, "base64url").toString()) as [string, number, ...string[]])
      : ["", 0];
    if (until < Date.now()) invalid("client_id", undefined, `registered here within ${DAYS} days: register again`);
    return { name, hashes };
  }

  return {
    known,
    after: (refresh) => `dsr_${sign(`after.${refresh}`)}`, // with a dot it is no text of an id
    register(given, addresses) {
      const wrong = addresses.find((one) => !isReturn(one));
      if (wrong !== undefined)
        invalid("redirect_uris", wrong, `https, or http of this computer, without # and in ${MAX_ADDRESS} characters`);
      const name = nameFrom([...(nameFrom(given) ?? "")].slice(0, MAX_NAME).join("")) ?? NAMELESS;
      const content = [name, Date.now() + DAYS * 86_400_000, ...addresses.map(shortHash)];
      const text = Buffer.from(JSON.stringify(content)).toString("base64url");
      return { id: `${text}.${sign(text)}`, name };
    },
    read(query, origin) {
      const asked = fieldsOf(query);
      const { client_id: id = "", redirect_uri: address = "", code_challenge: challenge = "" } = asked;
      const { name, hashes } = known(id);
      if (!isReturn(address) || !hashes.includes(shortHash(address)))
        invalid("redirect_uri", address, "one that the program registered, letter by letter");
      checkResource(asked.resource, origin);
      if (asked.response_type !== "code") invalid("response_type", asked.response_type, "code");
      if (asked.code_challenge_method !== "S256" || !/^[\w-]{43}$/.test(challenge))
        invalid("code_challenge", undefined, "a challenge of PKCE with the method S256");
      const wanted = asked.scope?.split(" ") ?? OF_AGENTS;
      const held = OF_AGENTS.filter((scope) => wanted.includes(scope));
      const bound = boundTo(id, address, challenge);
      return {
        name,
        address: new URL(address),
        scopes: held.length > 0 ? held : ["read"],
        bound,
        state: asked.state ?? null,
      };
    },
  };
}

const shortHash = (address: string): string => hashOf(address).slice(0, HASH_LETTERS);

/** Whether a browser may be sent to an address with a code: no one reads it on the way, and no other program takes it. */
function isReturn(address: string): boolean {
  if (address.length > MAX_ADDRESS || !/^[\x21-\x7e]+$/.test(address) || address.includes("#")) return false;
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.username + url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname)))
  );
}

/** The fields of a query or a form; INVALID_PARAMETER for one that is there twice. */
export function fieldsOf(text: string): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) invalid(name, undefined, "given once");
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
