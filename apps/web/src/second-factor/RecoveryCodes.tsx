import { Secret } from "../parts/Secret.tsx";

/** The recovery codes, shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div className="stack gap-12">
      <p className="flush">
        Each of these codes signs you in once, with your password, when you do not have the app. Print them, or keep
        them where you keep passwords.
      </p>
      <ul className="code" aria-label="Recovery codes" style={{ margin: 0, paddingInlineStart: 20 }}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Secret title="Keep them now" label="All recovery codes" value={codes.join(" ")} />
    </div>
  );
}
