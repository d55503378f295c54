import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const length = (bytes: number): Buffer => {
  if (bytes < 128) return Buffer.from([bytes]);
  const hex = bytes.toString(16);
  const raw = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | raw.length]), raw]);
};
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const name = (common: string): Buffer => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(common)))));
const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));

export interface Certificate {
  /** The certificate in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for one host name, signed by its own key, valid until a year begins: for TLS in tests. */
export function selfSigned(host: string, end = 2120): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const time = (year: number): Buffer => der(0x18, Buffer.from(`${year}0101000000Z`));
  const isAuthority = sequence(oid("551d13"), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
  const dotted = /^[\d.]+$/.test(host)
    ? der(0x87, Buffer.from(host.split(".").map(Number)))
    : der(0x82, Buffer.from(host));
  const alternative = sequence(oid("551d11"), der(0x04, sequence(dotted)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    name(host),
    sequence(time(2020), time(end)),
    name(host),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(isAuthority, alternative)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey as KeyObject));
  const text = sequence(body, ECDSA_SHA256, signature)
    .toString("base64")
    .replace(/(.{64})/g, "$1\n");
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
