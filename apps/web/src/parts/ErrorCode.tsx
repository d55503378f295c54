import type { ErrorCode as Code } from "@dosimeter/core";

/** The code of an error, which leads to what it means and what to do. */
export function ErrorCode({ code }: { code: Code }) {
  return (
    <p>
      <a className="code" href={`docs/errors/${code}.html`}>
        {code}
      </a>
    </p>
  );
}
