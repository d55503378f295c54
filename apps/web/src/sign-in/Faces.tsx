import type { Visit } from "@dosimeter/client";
import { useContinueAs } from "../api/session.ts";
import { Fault } from "../parts/Pending.tsx";

/** One button for each person of the demo; offered only to a browser on the server's own machine. */
export function Faces({ people, onIn }: { people: Visit["demoPeople"]; onIn: () => Promise<void> }) {
  const go = useContinueAs();
  return (
    <section className="stack gap-12" aria-label="People of the demo">
      {people.map(({ id, name, description }) => (
        <button
          key={id}
          type="button"
          className="face"
          disabled={go.isPending}
          onClick={() => {
            go.mutateAsync(id).then(onIn, () => undefined); // shown from `go.error`
          }}
        >
          <strong>Continue as {name}</strong>
          <span className="soft small">{description}</span>
        </button>
      ))}
      <Fault error={go.error} />
    </section>
  );
}
