import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { DatasetId, Principal, PrincipalId } from "@dosimeter/ledger";
import { hoursFromNow, LINK_HOURS } from "../access/credentials.ts";
import { refuseWithoutPasswords } from "../access/password-sign-in.ts";
import type { HandlersOf } from "../http/call.ts";
import { pageOf } from "../http/page.ts";
import { directory } from "../view/directory.ts";
import { personView, roleView } from "../view/person.ts";
import { signInLink } from "./session.ts";

export const people = {
  async listPeople({ deps, caller, input }) {
    const everyone = await deps.database.people.principals();
    const behind = await deps.database.people.analystsBehind();
    const { items, next } = pageOf(everyone, input);
    const factors = caller.roles.platformAdmin ? await deps.database.people.secondFactors() : null;
    const view = (person: Principal) => ({
      ...personView(person, { full: knows(caller, person.id), behind }),
      ...(factors === null ? {} : { hasSecondFactor: factors.has(person.id) }),
    });
    return { items: items.map(view), next };
  },
  async createPerson({ deps, caller, input }) {
    const { name, kind = "user", email, onBehalfOf } = input;
    const by = caller.principal.id;
    const person = await deps.database.people.createPrincipal({
      by,
      kind,
      name,
      ...present({ email }),
      ...(onBehalfOf === undefined ? {} : { onBehalfOf: (await deps.database.people.principal(onBehalfOf)).id }),
    });
    return personView(person, { full: true, behind: await deps.database.people.analystsBehind() });
  },
  async showPerson({ deps, caller, input }) {
    const person = await deps.database.people.principal(input.person);
    return personView(person, {
      full: knows(caller, person.id),
      behind: await deps.database.people.analystsBehind(),
    });
  },
  async setPerson({ deps, caller, input }) {
    const { people } = deps.database;
    const { id: principal } = await people.principal(input.person);
    const { name, email } = input;
    const set = await people.setPrincipal({
      by: caller.principal.id,
      principal,
      ...present({ name, email }),
    });
    deps.sender?.wake();
    return personView(set, { full: true, behind: await people.analystsBehind() });
  },
  async removePerson({ deps, caller, input }) {
    const by = caller.principal.id;
    if (input.person === by)
      throw new PrivacyError("CONFLICT", {}, "you cannot remove yourself: another admin of the platform can");
    const { id: principal } = await deps.database.people.principal(input.person);
    await deps.database.people.disablePrincipal({ by, principal });
    return undefined;
  },
  async restorePerson({ deps, caller, input }) {
    const { people } = deps.database;
    const { id: principal } = await people.principal(input.person);
    const restored = await people.restorePrincipal({ by: caller.principal.id, principal });
    return personView(restored, { full: true, behind: await people.analystsBehind() });
  },
  async erasePerson({ deps, caller, input }) {
    const { people } = deps.database;
    const { id: principal } = await people.principal(input.person);
    const erased = await people.erasePrincipal({ by: caller.principal.id, principal });
    return personView(erased, { full: true, behind: await people.analystsBehind() });
  },
  async createSignInLink({ deps, caller, input, exchange }) {
    const person = await deps.database.people.principal(input.person);
    if (person.removedAt !== null) throw new PrivacyError("NOT_FOUND");
    return signInLink(person, caller.principal.id, deps, exchange.origin);
  },
  async createPasswordLink({ deps, caller, input, exchange }) {
    refuseWithoutPasswords(deps);
    const { people } = deps.database;
    const { id, name, kind, email, removedAt } = await people.principal(input.person);
    if (removedAt !== null) throw new PrivacyError("NOT_FOUND");
    if (kind !== "user" || email === null)
      throw new PrivacyError("CONFLICT", { name: "person" }, "a password needs a person with an e-mail address");
    const expiresAt = hoursFromNow(LINK_HOURS);
    const by = caller.principal.id;
    const asked = { principal: id, expiresAt, by };
    let url: string | null = null;
    if (deps.sendsMail) {
      await deps.rates.take("mailBy", `${by} ${email}`);
      await people.mailPasswordLink({ ...asked, address: email });
    } else url = `${exchange.origin}/sign-in#${(await people.createPasswordLink(asked)).secret}`;
    deps.sender?.wake();
    return { person: id, name, url, expiresAt };
  },

  async listRoles({ deps, input }) {
    const names = await directory(deps.database);
    const inForce = (await deps.database.people.roleBindings()).filter(({ until }) => until === null);
    const { items, next } = pageOf(inForce, input);
    return { items: items.map((binding) => roleView(binding, names)), next };
  },
  async grantRole({ deps, caller, input }) {
    const { database } = deps;
    const { person, role, object } = input;
    if ((role === "datasetAdmin") !== (object.kind === "dataset") && !(role === "auditor" && object.kind === "dataset"))
      invalid("body.object.kind", object.kind, `an object that has ${role}s`);
    const dataset = object.kind === "dataset" ? (await database.catalog.dataset(object.id ?? "")).id : undefined;
    const { id: principal } = await database.people.principal(person);
    const binding = await database.people.grantRole({
      by: caller.principal.id,
      principal,
      role,
      object: dataset as DatasetId | undefined,
    });
    return roleView(binding, await directory(database));
  },
  async revokeRole({ deps, caller, input }) {
    const { database } = deps;
    const binding = (await database.people.roleBindings()).find(({ id }) => id === input.role);
    if (binding === undefined) throw new PrivacyError("NOT_FOUND");
    if (binding.role === "platformAdmin" && binding.principal === caller.principal.id)
      throw new PrivacyError(
        "CONFLICT",
        {},
        "you cannot take this role from yourself: another admin of the platform can",
      );
    await database.people.revokeRole({ by: caller.principal.id, binding: binding.id });
    return undefined;
  },
} satisfies HandlersOf<"people">;

const knows = (
  { principal, roles }: { principal: { id: PrincipalId }; roles: { platformAdmin: boolean } },
  id: PrincipalId,
) => roles.platformAdmin || principal.id === id;
