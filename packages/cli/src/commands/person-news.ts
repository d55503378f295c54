import type { Input, NotificationSettings } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findPerson } from "../find.ts";
import { wholeNumber } from "../flags/whole-number.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";

type Kind = NotificationSettings["kinds"][number];
const channels = ["app", "mail", "webhook"] as const;

interface NotifyFlags extends Partial<Record<"on" | "off", string>> {
  readonly url?: string;
}

interface AuditFlags {
  readonly by?: string;
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

/** `dosimeter person notify | activity | audit`: notifications, and what happened. */
export function defineNews(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("notify")
    .description("my notifications and where they go; with a kind it is switched on or off")
    .argument("[kind]", "as the list names it")
    .option("--on <channels>", "app, mail, webhook: any of them, with commas")
    .option("--off <channels>", "app, mail, webhook: any of them, with commas")
    .option("--url <address>", "post there, signed; none stops it")
    .action(async (kind: string | undefined, flags: NotifyFlags) => {
      const switches = flags.on !== undefined || flags.off !== undefined;
      if (kind === undefined && switches) invalid("kind", undefined, "given, with --on and --off");
      if (kind !== undefined && !switches) invalid("an option", undefined, "--on or --off, with a kind");
      const { settings, secret } = await withClient(context, async (client) => {
        const made = flags.url === undefined ? null : await client.setWebhook({ url: addressOf(flags.url) });
        if (kind !== undefined) {
          const { kinds } = await client.notificationSettings();
          await client.setNotification(switched(kinds, kind, flags));
        }
        return { settings: await client.notificationSettings(), secret: made?.secret ?? null };
      });
      if (globals().json) return sayJson(terminal, { ...settings, ...(secret === null ? {} : { secret }) });
      const mark = (isOn: boolean): string => (isOn ? "yes" : "no");
      await sayTable(terminal, settings.kinds, [
        { heading: "kind", cell: (row) => row.kind },
        ...channels.map((channel) => ({ heading: channel, cell: (row: Kind) => mark(row[channel]) })),
        { heading: "when", cell: ({ means }) => means },
      ]);
      say(terminal, `Posted to: ${settings.webhook ?? "nowhere"}`);
      if (secret !== null) say(terminal, `Check the signatures with this secret, shown once: ${secret}`);
    });

  command
    .command("activity")
    .description("what I did, and what happened on the ledgers that I administer or audit, newest first")
    .option("--limit <n>", "how many", "30")
    .action(async ({ limit }: { readonly limit: string }) => {
      const { items } = await withClient(context, (client) =>
        client.listActivity({ limit: wholeNumber("--limit", limit) }),
      );
      if (globals().json) return sayJson(terminal, items);
      await sayTable(terminal, items, lineColumns);
    });

  command
    .command("audit")
    .description("the lines of the platform's audit, newest first (platform admins and auditors)")
    .option("--by <person>", "only by this person, by name or id")
    .option("--action <action>", "only this action (request.approve), or all of one noun (request)")
    .option("--since <time>", "ISO 8601")
    .option("--until <time>", "ISO 8601")
    .option("--limit <n>", "how many", "50")
    .action(async ({ by, action, since, until, limit }: AuditFlags) => {
      const { items } = await withClient(context, async (client) =>
        client.listAudit({
          limit: wholeNumber("--limit", limit),
          ...(by === undefined ? {} : { actor: (await findPerson(client, by)).id }),
          ...(action === undefined ? {} : { action }),
          ...(since === undefined ? {} : { since }),
          ...(until === undefined ? {} : { until }),
        }),
      );
      if (globals().json) return sayJson(terminal, items);
      await sayTable(terminal, items, lineColumns);
    });
}

interface Line {
  readonly at: string;
  readonly actorName: string;
  readonly action: string;
  readonly subject: string;
  readonly subjectName: string | null;
}

const lineColumns = [
  { heading: "when", cell: ({ at }: Line) => at },
  { heading: "who", cell: ({ actorName }: Line) => actorName },
  { heading: "what", cell: ({ action }: Line) => action },
  { heading: "on", cell: ({ subject, subjectName }: Line) => subjectName ?? subject },
];

const addressOf = (text: string): string | null => (text === "none" ? null : text);

/** One kind with some channels switched; the others stay as they are. */
function switched(kinds: readonly Kind[], wanted: string, { on, off }: NotifyFlags): Input<"setNotification"> {
  const row = kinds.find(({ kind }) => kind === wanted);
  if (row === undefined) invalid("kind", wanted, `one of ${kinds.map(({ kind }) => kind).join(", ")}`);
  const named = (text: string | undefined): readonly string[] => text?.split(/[ ,]+/) ?? [];
  const unknown = [...named(on), ...named(off)].find((name) => !channels.some((channel) => channel === name));
  if (unknown !== undefined) invalid("channel", unknown, channels.join(", "));
  const now = (channel: (typeof channels)[number]): boolean =>
    named(on).includes(channel) || (row[channel] && !named(off).includes(channel));
  return { kind: row.kind, app: now("app"), mail: now("mail"), webhook: now("webhook") };
}
