import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { time } from "../schema.ts";
import { secretText } from "../secret.ts";

export const recoveryCodes = z
  .array(z.string())
  .meta({ id: "RecoveryCodes", description: "Each works once in the place of a code" });

const secondFactor = z
  .object({
    since: time.nullable().meta({ description: "null: the password alone is enough" }),
    recoveryLeft: z.number().int().meta({ description: "Recovery codes that are left" }),
    required: z
      .boolean()
      .meta({ description: "Whether the server asks for one of me, so that I set it up at sign-in" }),
  })
  .meta({ id: "SecondFactor" });

const started = z
  .object({
    secret: z.string().meta({ description: "Base32, to be typed into the app: SHA-1, 6 digits, 30 seconds" }),
    url: z.string().meta({ description: "otpauth://…, the same for apps that read it" }),
    svg: z.string().meta({ description: "The address as a QR code, an SVG image" }),
  })
  .meta({ id: "SecondFactorStart" });

const code = secretText.meta({
  description: "Six digits of the app; elsewhere than at confirming also a recovery code",
});

export const secondFactorRoutes = {
  showSecondFactor: {
    route: "GET /v1/me/second-factor",
    summary: "Whether my password needs a second factor",
    who: "signedIn",
    scope: "admin",
    response: secondFactor,
  },
  beginSecondFactor: {
    route: "POST /v1/me/second-factor",
    summary: "A secret for my authenticator app, shown this once; it counts from confirmSecondFactor on",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({ password: secretText }),
    response: started,
    status: 201,
    errors: ["CONFLICT"],
  },
  confirmSecondFactor: {
    route: "POST /v1/me/second-factor/confirm",
    summary:
      "Show that my app has the secret: from now on my password needs its code; every other browser is signed out",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({ code }),
    response: z.object({ recoveryCodes }),
    errors: ["CONFLICT"],
  },
  endSecondFactor: {
    route: "POST /v1/me/second-factor/end",
    summary: "Give up my second factor, with one of its codes",
    who: "signedIn",
    scope: "admin",
    body: z.strictObject({ code }),
  },
  startSecondFactor: {
    route: "POST /v1/session/second-factor",
    summary:
      "Where the server asks for a second factor of people who have none: begin one while signing in by password",
    who: "anyone",
    scope: null,
    body: z.strictObject({ email: z.email().max(254), password: secretText }),
    response: started,
    status: 201,
    errors: ["CONFLICT", "SECOND_FACTOR"],
  },
  removeSecondFactor: {
    route: "POST /v1/people/{person}/second-factor/end",
    summary: "End the second factor of a person who lost their phone and their recovery codes",
    who: "platformAdmin",
    scope: "admin",
    body: z.strictObject({ reason: z.string().trim().min(1).max(200) }),
  },
} as const satisfies RouteTable;
