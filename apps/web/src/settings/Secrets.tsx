import type { KnownSecret } from "@dosimeter/client";
import { useSecrets } from "../api/service.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Pending } from "../parts/Pending.tsx";
import { dayText } from "../parts/time.ts";

const servers: Readonly<Record<KnownSecret["servers"], string>> = {
  running: "may run",
  restarted: "start again afterwards",
  stopped: "must be stopped",
};

/** For admins of the platform: the keys and secrets of this installation, how old each is, and the command that replaces it. Never a value. */
export function Secrets() {
  const secrets = useSecrets();
  return (
    <div className="stack">
      <p className="flush">
        Run a command on the server, as its operator. Replace a secret on a schedule of yours, and at once when someone
        may have seen it.
      </p>
      <Pending of={secrets} lines={6}>
        {({ items }) => (
          <DataTable
            caption="Keys and secrets"
            isCaptionHidden
            isStacking
            rows={items}
            keyOf={({ name }) => name}
            columns={[
              { name: "Secret", isHead: true, cell: ({ name }) => name },
              {
                name: "Last replaced",
                cell: ({ replacedAt }) => (replacedAt === null ? "not known here" : dayText(replacedAt)),
              },
              { name: "To replace it", cell: ({ command }) => <span className="code anywhere">{command}</span> },
              { name: "Servers", cell: (secret) => servers[secret.servers] },
            ]}
          />
        )}
      </Pending>
    </div>
  );
}
