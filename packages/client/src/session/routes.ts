import { z } from "zod";
import { person, roleName, roleObject, signInLink } from "../people/routes.ts";
import type { RouteTable } from "../route.ts";
import { id, name, time } from "../schema.ts";
import { recoveryCodes } from "../second-factor/routes.ts";
import { secretText } from "../secret.ts";
import { newPassword, scope } from "../tokens/routes.ts";

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
  z
    .strictObject({
      invitation: secretText,
      name,
      email: z.email().max(254).optional().meta({
        description:
          "By a link, with a password: a name to sign in with, and nothing else. A mailed invitation has its own",
      }),
      password: newPassword.optional(),
    })
    .meta({
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

export const sessionRoutes = {
  showSession: {
    route: "GET /v1/session",
    summary: "Who is signed in here, null for no one, and the ways in that signInWays does not list",
    who: "visitor",
    scope: "read",
    response: visit,
  },
  signIn: {
    route: "POST /v1/session",
    summary: "Start a browser session from a one-time link or a token; sets an HttpOnly cookie",
    who: "anyone",
    scope: null,
    body: signInInput,
    response: session,
    status: 201,
  },
  resetPassword: {
    route: "POST /v1/session/password",
    summary: "Set a new password by a link; all that the person could come in with ends",
    who: "anyone",
    scope: null,
    body: z.strictObject({
      link: secretText.meta({ description: "The secret part of the link" }),
      password: newPassword,
    }),
  },
  signOut: {
    route: "DELETE /v1/session",
    summary: "End the browser session",
    who: "anyone",
    scope: null,
  },
  createFirstAdmin: {
    route: "POST /v1/session/first-admin",
    summary: "Make the first admin of the platform with the code that the server's terminal printed, and sign them in",
    who: "anyone",
    scope: null,
    body: firstAdminInput,
    response: session,
    status: 201,
    errors: ["CONFLICT"],
  },
  continueAs: {
    route: "POST /v1/session/demo",
    summary: "Demo only, from a browser on the server's own machine: sign in as a demo person",
    who: "anyone",
    scope: null,
    body: z.strictObject({ person: id }),
    response: session,
    status: 201,
  },
  viewAs: {
    route: "POST /v1/session/person",
    summary: "Demo only: go on as another demo person in the same browser",
    who: "demoViewer",
    scope: null,
    body: z.strictObject({ person: id }),
    response: session,
    status: 201,
  },
  me: {
    route: "GET /v1/me",
    summary: "Who I am, my roles and teams, and the demo people I can view as",
    who: "signedIn",
    scope: "read",
    response: me,
  },
  createDemoLinks: {
    route: "POST /v1/demo/links",
    summary: "New one-time sign-in links for the demo people; refused as soon as a real person exists",
    who: "platformAdmin",
    scope: "admin",
    response: z.object({ items: z.array(demoLink) }),
    status: 201,
    errors: ["CONFLICT"],
  },
  signInWays: {
    route: "GET /v1/session/ways",
    summary: "How people sign in here",
    who: "anyone",
    scope: null,
    response: signInWays,
  },
  requestSignInLink: {
    route: "POST /v1/session/links",
    summary: "Mail a one-time sign-in link; the same answer whether or not anybody has the address",
    who: "anyone",
    scope: null,
    body: z.strictObject({ email: z.email().max(254) }),
  },
} as const satisfies RouteTable;
