import type { Token } from "@dosimeter/client";
import { scopes } from "@dosimeter/client";
import type { Credential } from "@dosimeter/ledger";

const all = Object.keys(scopes) as Token["scopes"];

export function tokenView({ id, name, scopes: held, createdAt, expiresAt, endedAt }: Credential): Token {
  return {
    id,
    name,
    scopes: held.length === 0 ? all : all.filter((scope) => held.includes(scope)),
    createdAt,
    expiresAt,
    endedAt,
  };
}
