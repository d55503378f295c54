import type { NotificationSettings as Said } from "@dosimeter/client";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useNotificationSettings } from "../api/service.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Form } from "../parts/Form.tsx";
import { Check, TextField } from "../parts/fields.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { Secret } from "../parts/Secret.tsx";

type Row = Said["kinds"][number];
const channels = { app: "on the page", mail: "by mail", webhook: "by webhook" } as const;
type Channel = keyof typeof channels;

export function NotificationSettings() {
  const settings = useNotificationSettings();
  const set = useChange((client, { kind, app, mail, webhook }: Row) =>
    client.setNotification({ kind, app, mail, webhook }),
  );
  const box = (row: Row, channel: Channel) => (
    <Check
      aria-label={`Notify me ${channels[channel]} when ${row.means}`}
      checked={row[channel]}
      disabled={set.isPending}
      onChange={(isChecked) => set.mutate({ ...row, [channel]: isChecked })}
    />
  );
  return (
    <Pending of={settings}>
      {(said) => (
        <div className="stack">
          <DataTable
            caption="When, and where"
            isCaptionHidden
            isStacking
            rows={said.kinds}
            keyOf={({ kind }) => kind}
            columns={[
              { name: "Notify me when", isHead: true, cell: ({ means }) => means },
              { name: "On the page", cell: (row) => box(row, "app") },
              { name: "By mail", cell: (row) => box(row, "mail") },
              { name: "By webhook", cell: (row) => box(row, "webhook") },
            ]}
          />
          {said.mail ? null : (
            <p className="soft small flush">
              No mail reaches you: this server sends none, or does not know your address.
            </p>
          )}
          <Fault error={set.error} />
          <Webhook now={said.webhook} />
        </div>
      )}
    </Pending>
  );
}

function Webhook({ now }: { now: string | null }) {
  const [url, setUrl] = useState(now ?? "");
  const set = useChange((client, next: string | null) => client.setWebhook({ url: next }));
  return (
    <Form
      className="stack gap-12 measured"
      action={url.trim() === "" ? "Post nothing" : "Post there"}
      isReady={url.trim() !== (now ?? "")}
      change={set}
      variant="default"
      onSubmit={() => set.mutate(url.trim() === "" ? null : url.trim())}
    >
      <TextField
        label="Webhook"
        description="Everything marked above is posted there as JSON, signed: x-dosimeter-signature is an HMAC-SHA-256 of time and body."
        placeholder="https://"
        type="url"
        value={url}
        onChange={setUrl}
      />
      {set.data?.secret ? (
        <Secret title="Check the signature with this secret" label="Secret" value={set.data.secret} />
      ) : null}
    </Form>
  );
}
