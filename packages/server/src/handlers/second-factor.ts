import { PrivacyError } from "@dosimeter/core";
import { passwordIs, personOfPassword } from "../access/password-sign-in.ts";
import { beginSecondFactor, confirmSecondFactor, needsSecondFactor, takeCode } from "../access/second-factor.ts";
import type { HandlersOf } from "../http/call.ts";

export const secondFactor = {
  async showSecondFactor({ deps, caller }) {
    const factor = await deps.database.people.secondFactorOf(caller.principal.id);
    const isOn = factor !== null && factor.confirmedAt !== null;
    return {
      since: isOn ? factor.confirmedAt : null,
      recoveryLeft: isOn ? factor.recoveryLeft : 0,
      required: await needsSecondFactor(caller.principal, deps),
    };
  },

  /** Asks for the password: who has only the browser, or a token, changes nothing about the sign-in. */
  async beginSecondFactor({ deps, caller, input, exchange }) {
    await passwordIs(input.password, caller.principal, deps);
    return beginSecondFactor(caller.principal, { origin: exchange.origin, atSignIn: false }, deps);
  },

  async confirmSecondFactor({ deps, caller, input }) {
    const given = { code: input.code, keep: caller.credential.id };
    const recoveryCodes = await confirmSecondFactor(caller.principal, given, deps);
    deps.sender?.wake();
    return { recoveryCodes };
  },

  async endSecondFactor({ deps, caller, input }) {
    const { id: principal } = caller.principal;
    await takeCode(caller.principal, input.code, deps);
    await deps.database.people.endSecondFactor({ principal, by: principal });
    deps.sender?.wake();
    return undefined;
  },

  async startSecondFactor({ deps, input, exchange }) {
    const { email } = input;
    const person = await deps.notedSignIn({ method: "password", ...exchange, email }, async () => {
      const found = await personOfPassword(input, exchange.address, deps);
      if ((await deps.database.people.secondFactorOf(found.id))?.confirmedAt != null)
        throw new PrivacyError("SECOND_FACTOR", {}, "there is a second factor already: sign in with its code");
      return found;
    });
    if (!(await needsSecondFactor(person, deps)))
      throw new PrivacyError("CONFLICT", {}, "sign in first: no second factor is asked for here");
    const begun = await beginSecondFactor(person, { origin: exchange.origin, atSignIn: true }, deps);
    deps.sender?.wake();
    return begun;
  },

  async removeSecondFactor({ deps, caller, input }) {
    const { people } = deps.database;
    const { id: principal } = await people.principal(input.person);
    if (principal === caller.principal.id)
      throw new PrivacyError("FORBIDDEN", {}, "end your own with one of its codes, or ask another admin to end it");
    await people.endSecondFactor({ principal, by: caller.principal.id, reason: input.reason });
    deps.sender?.wake();
    return undefined;
  },
} satisfies HandlersOf<"secondFactor">;
