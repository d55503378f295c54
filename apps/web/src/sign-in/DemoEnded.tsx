import { useSession } from "../api/session.ts";
import { Notice } from "../parts/Notice.tsx";

/** Why the people of the demo cannot sign in any more, where there was one. */
export function DemoEnded() {
  const session = useSession();
  if (session.data?.demo !== "ended") return null;
  return (
    <Notice tone="warn" title="The demo’s people can no longer sign in">
      <p>
        A real person was added to this server, and among real people no one acts under a made-up name. Datasets,
        budgets and releases of the demo are kept. In the terminal,{" "}
        <span className="code unbroken">dosimeter person link</span> lets a real person in. For a new demo, run{" "}
        <span className="code unbroken">dosimeter serve --demo</span> on an empty data folder.
      </p>
    </Notice>
  );
}
