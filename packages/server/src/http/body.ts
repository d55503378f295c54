import { invalid, PrivacyError } from "@dosimeter/core";

/** The most bytes of a JSON body, ten times a plan of a thousand statistics. */
const MAX_BODY_BYTES = 2 ** 20;

/** The time after which a body that is still arriving is refused. */
const BODY_MS = 30_000;

/** Parses a JSON body. PAYLOAD_TOO_LARGE above the limit, without reading on; INVALID_PARAMETER when it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type))
    invalid("content-type", type, "application/json");
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "body", want: "well-formed JSON" },
      "the body is not well-formed JSON",
    );
  }
}

async function readText(request: Request): Promise<string> {
  const tooLarge = () =>
    new PrivacyError("PAYLOAD_TOO_LARGE", { name: "body", want: `at most ${MAX_BODY_BYTES} bytes` });
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel();
  }, BODY_MS);
  const parts: Uint8Array[] = [];
  try {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read();
      if (late) invalid("body", undefined, `sent within ${BODY_MS / 1000} s`);
      if (done) break;
      size += value.byteLength;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      parts.push(value);
    }
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new PrivacyError("INVALID_PARAMETER", { name: "body", want: "UTF-8" }, "the body is not UTF-8");
  }
}
