import { z } from "zod";
import { person, roleName, roleObject, signInLink } from "../people/wire.ts";
import { id, name, time } from "../schema.ts";
import { recoveryCodes } from "../second-factor/wire.ts";
import { secretText } from "../secret.ts";
import { newPassword, scope } from "../tokens/wire.ts";
import type { WireOf } from "../wire-row.ts";
import type { sessionRoutes } from "./routes.ts";

const signInInput = z.union([
  z.strictObject({ link: secretText.meta({ description: "The secret part of a sign-in link" }) }),
  z.strictObject({ token: secretText }),
  z.strictObject({
    email: z.email().max(254),
    password: secretText,
    code: secretText.optional().meta({
      description: "Of the authenticator app, or a recovery code; needed where SECOND_FACTOR is the answer without it",
    }),
  }),
  z.strictObject({ invitation: secretText, name }).meta({
    description:
      "An invitation that lets in someone who is not here yet, as showInvitation says: makes them, and lets them in",
  }),
]);

const demoPerson = z
  .object({ id, name: z.string(), description: z.string(), current: z.boolean() })
  .meta({ id: "DemoPerson" });

const firstAdminInput = z.strictObject({
  code: secretText.meta({ description: "As printed in the terminal; spaces, dashes and capitals do not count" }),
  name,
  email: z.email().max(254).optional().meta({ description: "Needed with a password: people sign in with both" }),
  password: newPassword.optional(),
});

const me = z
  .object({
    person,
    roles: z.array(z.object({ role: roleName, object: roleObject, objectName: z.string().nullable() })),
    scopes: z.array(scope),
    hasPassword: z.boolean(),
    opensTeams: z.boolean().meta({ description: "Whether I may open a team here" }),
    viaDemo: z.boolean().meta({ description: "This session came from a demo link" }),
    demoPeople: z.array(demoPerson).nullable().meta({ description: "Whom I can view as; null when this is no demo" }),
  })
  .meta({ id: "Me" });

const visit = z
  .object({
    me: me.nullable().meta({ description: "Who is signed in" }),
    demo: z.enum(["on", "ended"]).nullable().meta({
      description: "ended: the people of the demo cannot sign in any more, because a real person was added",
    }),
    demoPeople: z.array(demoPerson.omit({ current: true }).meta({ id: "DemoFace" })).meta({
      description: "Whom continueAs takes from here; none where it takes no one, and for those who are signed in",
    }),
    firstAdmin: z.boolean().meta({ description: "No one was ever an admin: createFirstAdmin takes the printed code" }),
  })
  .meta({ id: "Visit" });

const session = me
  .extend({
    expiresAt: time,
    recoveryCodes: recoveryCodes.optional().meta({
      description: "Only where the code confirmed an app that startSecondFactor began: shown this once",
    }),
  })
  .meta({ id: "Session" });

const demoLink = signInLink.extend({ description: z.string() }).meta({ id: "DemoLink" });

const signInWays = z
  .object({
    password: z.boolean(),
    mail: z.boolean().meta({ description: "A sign-in link can be asked for by mail" }),
    providers: z
      .array(z.object({ id, name: z.string(), url: z.string().meta({ description: "Where the browser goes" }) }))
      .meta({ description: "OpenID Connect" }),
  })
  .meta({ id: "SignInWays" });

/** What travels on the routes of this tag. */
export const sessionWire = {
  showSession: { response: visit },
  signIn: { body: signInInput, response: session },
  resetPassword: {
    body: z.strictObject({
      link: secretText.meta({ description: "The secret part of the link" }),
      password: newPassword,
    }),
  },
  signOut: {},
  createFirstAdmin: { body: firstAdminInput, response: session },
  continueAs: { body: z.strictObject({ person: id }), response: session },
  viewAs: { body: z.strictObject({ person: id }), response: session },
  me: { response: me },
  createDemoLinks: { response: z.object({ items: z.array(demoLink) }) },
  signInWays: { response: signInWays },
  requestSignInLink: { body: z.strictObject({ email: z.email().max(254) }) },
} as const satisfies WireOf<typeof sessionRoutes>;
