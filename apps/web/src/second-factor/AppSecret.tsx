import type { Output } from "@dosimeter/client";

/** What an authenticator app reads: a QR code, and the key as text for one that cannot see it. */
export function AppSecret({ of: { svg, secret, url } }: { of: Output<"beginSecondFactor"> }) {
  return (
    <div className="stack gap-12">
      <p className="flush">
        Scan this with an authenticator app, or type the key into it. On this device, <a href={url}>open the app</a>.
      </p>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
        alt="QR code for the authenticator app; the key below says the same"
        width={200}
        height={200}
      />
      <p className="flush">
        Key: <span className="code anywhere">{secret.replace(/.{4}(?=.)/g, "$& ")}</span>
      </p>
    </div>
  );
}
