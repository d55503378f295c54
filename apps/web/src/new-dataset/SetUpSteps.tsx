const setUpSteps = {
  declare: { title: "Declare", does: "what the table holds" },
  open: { title: "Open the ledger", does: "a lifetime budget, promised for good" },
  give: { title: "Give budget", does: "a team or a person may spend a part" },
  invite: { title: "Invite", does: "people join the team" },
} as const;
export type SetUpStep = keyof typeof setUpSteps;
const names = Object.keys(setUpSteps) as readonly SetUpStep[];

/** The way from a table to a budget that people share; any step after the ledger may be left out and taken up later. */
export function SetUpSteps({
  shown,
  reached,
  onGo,
}: {
  shown: SetUpStep;
  /** The first step that is not done. */
  reached: SetUpStep;
  onGo?: (step: SetUpStep) => void;
}) {
  const far = names.indexOf(reached);
  return (
    <nav aria-label="Set-up">
      <ol className="set-up">
        {names.map((name, at) => {
          const { title, does } = setUpSteps[name];
          const isDone = at < far;
          const canGo = onGo !== undefined && name !== "declare" && name !== shown && (isDone || reached !== "open");
          return (
            <li key={name} data-done={isDone} aria-current={name === shown ? "step" : undefined}>
              <span className="set-up-mark" aria-hidden="true">
                {isDone ? "✓" : at + 1}
              </span>
              <span>
                {canGo ? (
                  <button type="button" onClick={() => onGo(name)}>
                    {title}
                  </button>
                ) : (
                  <strong>{title}</strong>
                )}
                <span className="visually-hidden">{isDone ? " (done)" : ""}</span>
                <span className="soft small">{does}</span>
              </span>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
