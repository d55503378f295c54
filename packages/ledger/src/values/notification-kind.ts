/** The kinds of notification; each can be switched off for the page, for mail and for the webhook. */
export const notificationKinds = {
  requestMade: "someone asks for access or budget that I give out",
  requestDecided: "a request of mine was decided, offered on, or needs an answer",
  requestAnswered: "someone replies to a question or an offer of mine, or withdraws the request",
  agentWaits: "an AI agent of mine asks for a release that waits for my click",
  programWaits: "a program outside waits for me as the second person, or a charge of mine was approved or refused",
  quotaChanged: "a budget of mine was opened, changed, frozen or closed",
  threshold: "a budget or a ledger of mine is used to 50, 80 or 95 %",
  membership: "I joined or left a team, or a role of mine changed",
  security:
    "my password, its second factor or my webhook changed, or someone signed in for the first time in another way",
  report: "a scheduled report of mine, or one that I get, has new answers or was refused",
  declaration: "a declaration that is not finished was handed to me, or released numbers contradict one of mine",
  answerLost: "an answer that I paid for was lost when the ledger database was restored",
  guarantee:
    "what a dataset of mine promises to those it protects changed, or two datasets hold the same bytes (admins of the platform only)",
} as const;

export type NotificationKind = keyof typeof notificationKinds;

export interface Channels {
  readonly app: boolean;
  readonly mail: boolean;
  readonly webhook: boolean;
}

/** Until someone says otherwise. */
export const usualChannels: Channels = { app: true, mail: true, webhook: true };

/** Names and amounts for the words: as they were when it happened. Never a row of data, never a secret. */
export type Facts = Readonly<Record<string, string>>;

export const THRESHOLDS = [50, 80, 95] as const;
