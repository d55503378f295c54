import { scopes, type Token } from "@dosimeter/client";
import type { Credential } from "@dosimeter/ledger";
import { PROVISION } from "../access/credentials.ts";

const all = Object.keys(scopes) as Token["scopes"];
const known = [...all, PROVISION] as Token["scopes"];

export function tokenView({ id, name, scopes: held, createdAt, expiresAt, endedAt }: Credential): Token {
  return {
    id,
    name,
    scopes: held.length === 0 ? all : known.filter((scope) => held.includes(scope)),
    createdAt,
    expiresAt,
    endedAt,
  };
}
