/** An address without its user and password, and the header that holds them. A password with a % that begins nothing throws. */
export function signedIn(address: URL): {
  readonly url: URL;
  readonly name: string;
  readonly headers: { readonly authorization?: string };
} {
  const { username, password } = address;
  const url = new URL(address);
  Object.assign(url, { username: "", password: "" });
  const name = decodeURIComponent(username);
  const secret = Buffer.from(`${name}:${decodeURIComponent(password)}`).toString("base64");
  return { url, name, headers: username === "" ? {} : { authorization: `Basic ${secret}` } };
}
