import { roleWords } from "@dosimeter/client";
import type { Facts, NotificationKind } from "@dosimeter/ledger";

/** The text of a notification and the page it links to. Plain text: the page or mail escapes it. */
export interface Words {
  readonly title: string;
  readonly text: string;
  readonly path: string;
}

const outcomes: Readonly<Record<string, string>> = {
  approved: "was approved",
  partlyApproved: "was approved in part",
  rejected: "was rejected",
  counterOffered: "was answered with an offer",
  infoRequested: "needs an answer from you",
  escalated: "was passed on to the next level",
  withdrawn: "was taken back",
  expired: "has expired",
  submitted: "waits again",
};

const roles: Readonly<Record<string, string>> = {
  ...roleWords,
  member: "member",
};

const changes: Readonly<Record<string, string>> = {
  password: "Your password was changed",
  passwordLink: "An admin had a link made by which you set a new password; if you did not ask for it, tell them",
  secondFactorBegun:
    "Someone with your password began to set up an authenticator app while signing in; if it was not you, change your password",
  secondFactor: "Your password now needs a code of your authenticator app too",
  recoveryCode: "One of your recovery codes was used",
  noSecondFactor: "Your password needs no second factor any more",
  profile:
    "Your name or address here was changed; your password stays. If you did not expect it, tell an admin of the platform",
  webhook: "Your notifications now go to another webhook",
};

/** What came of a scheduled report, other than a refusal. */
const came: Readonly<Record<string, { readonly title: (period?: string) => string; readonly text: string }>> = {
  released: { title: (period) => `: ${period} is there`, text: "Reading it is free." },
  ended: {
    title: () => " has ended",
    text: "The ledger was reopened with a write-off since its first report, so that later ones may have been released before. What was set aside and not spent is free again: begin another one.",
  },
};

type Say = (facts: Facts, reader: string | null) => Words;

const noted = (note: string | undefined): string => (note ? ` “${note}”` : "");

const say: Readonly<Record<NotificationKind, Say>> = {
  requestMade: ({ requester, holder, dataset, epsilon, note }) => ({
    title: `${requester} asks for ε ${epsilon} on ${dataset}`,
    text: `For ${holder}.${noted(note)}`,
    path: "/requests",
  }),
  requestDecided: ({ holder, dataset, epsilon, outcome = "", amount, note }) => ({
    title: `Your request for ε ${epsilon} on ${dataset} ${outcomes[outcome] ?? "has changed"}`,
    text: `For ${holder}.${amount === undefined ? "" : ` ε ${amount}.`}${noted(note)}`,
    path: "/requests?box=submitted",
  }),
  requestAnswered: ({ requester, holder, dataset, epsilon, outcome = "", answer }) => ({
    title: `${requester}’s request for ε ${epsilon} on ${dataset} ${outcomes[outcome] ?? "has changed"}`,
    text: `For ${holder}.${noted(answer)}`,
    path: "/requests",
  }),
  agentWaits: ({ agent, dataset, epsilon, until = "" }) => ({
    title: `${agent} asks for your click on ${dataset}`,
    text: `A release that ${epsilon === undefined ? "has no price in ε" : `costs ε ${epsilon}`} waits until ${until.slice(0, 16).replace("T", " ")} UTC; nothing was charged. Read it and decide in a browser in which you signed in yourself.`,
    path: "/settings",
  }),
  programWaits: ({ person, dataset, key, outcome = "" }) =>
    outcome === ""
      ? {
          title: `${person} asks for your approval of ${key} on ${dataset}`,
          text: "A program outside costs more than one person may charge for it alone; nothing was charged.",
          path: "/requests",
        }
      : {
          title: `${key} on ${dataset} was ${outcome}`,
          text: outcome === "approved" ? "Charge it again, and it is made." : "It is not charged under this key.",
          path: "/requests?box=submitted",
        },
  quotaChanged: ({ holder, dataset, what, epsilon }) => ({
    title: `The budget of ${holder} on ${dataset} was ${what}`,
    text: epsilon === undefined ? "What was spent stays spent." : `ε ${epsilon}. What was spent stays spent.`,
    path: "/",
  }),
  threshold: ({ level, what, holder, holderId, dataset, quota }, reader) => {
    const part = level === "50" ? "half" : `${level} %`;
    const owner = what === "ledger" ? `of ${dataset}` : `of ${holder} on ${dataset}`;
    return {
      title:
        what !== "ledger" && holderId === reader
          ? `You have used ${part} of your budget on ${dataset}`
          : `${part[0]?.toUpperCase()}${part.slice(1)} of the budget ${owner} is used`,
      text: `The whole budget is ε ${quota}.`,
      path: what === "ledger" ? "/datasets" : "/",
    };
  },
  membership: ({ what, person, team, role = "", object }) => ({
    title:
      team === undefined
        ? `The role ${roles[role] ?? role} of ${object} was ${what}`
        : `${person} ${what} the team ${team}`,
    text: "What was spent stays spent.",
    path: team === undefined ? "/" : "/teams",
  }),
  security: ({ what = "" }) => ({
    title: changes[what] ?? "You signed in in a new way",
    text: "If it was not you, ask an admin of the platform to remove your ways in.",
    path: "/settings",
  }),
  report: ({ schedule, name, dataset, period, outcome = "" }) => ({
    title: `${name} on ${dataset}${came[outcome]?.title(period) ?? `: ${period} was refused`}`,
    text:
      came[outcome]?.text ??
      `Nothing was spent (${outcome}). The page of the report says why, and makes it again; later ones come as usual.`,
    path: `/reports/${schedule}`,
  }),
  declaration: ({ what, dataset, id = "", columns, by, name, draft = "" }) =>
    what === "refuted"
      ? {
          title: `Released numbers contradict the declaration of ${dataset}`,
          text: `Answers that add up where its rows are as declared do not, by more than noise explains in one of a million releases.${columns ? ` Are there values outside those declared of ${columns}?` : ""} They were not made to agree. Only released numbers were compared, no rows.`,
          path: `/datasets/${encodeURIComponent(id)}?tab=columns`,
        }
      : {
          title: `${by} handed you the declaration of ${name}`,
          text: "It is not finished: go on where they stopped, over the same upload.",
          path: `/datasets/new?draft=${encodeURIComponent(draft)}`,
        },
  answerLost: ({ dataset, person }) => ({
    title: `An answer about ${dataset} that ${person} paid for is lost`,
    text: "The ledger database was restored from an earlier state. The answer may have been given before, so it is not drawn again. What was spent stays spent.",
    path: "/releases",
  }),
  guarantee: ({ dataset, twin }) =>
    twin === undefined
      ? {
          title: `What is promised about ${dataset} has a new version`,
          text: "Read the sentence that is now true.",
          path: "/datasets",
        }
      : {
          title: `${twin} and ${dataset} hold the same bytes and share no ledger`,
          text: "They may need one ledger: with two open, the loss of the same rows may add up to the sum of both. Only admins of the platform get this notice; the admins of the two datasets do not.",
          path: "/datasets",
        },
};

/** `reader` is the id of the person who reads it. */
export const wordsOf = (kind: NotificationKind, facts: Facts, reader: string | null): Words => say[kind](facts, reader);
