import { z } from "zod";
import { time } from "../schema.ts";
import { secretText } from "../secret.ts";
import type { WireOf } from "../wire-row.ts";
import type { secondFactorRoutes } from "./routes.ts";

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

/** What travels on the routes of this tag. */
export const secondFactorWire = {
  showSecondFactor: { response: secondFactor },
  beginSecondFactor: { body: z.strictObject({ password: secretText }), response: started },
  confirmSecondFactor: { body: z.strictObject({ code }), response: z.object({ recoveryCodes }) },
  endSecondFactor: { body: z.strictObject({ code }) },
  startSecondFactor: { body: z.strictObject({ email: z.email().max(254), password: secretText }), response: started },
  removeSecondFactor: { body: z.strictObject({ reason: z.string().trim().min(1).max(200) }) },
} as const satisfies WireOf<typeof secondFactorRoutes>;
