/** What a process or thread of ours needs to run. Everything else is the server's alone: addresses with passwords, secrets, options of Node. */
const KEPT = [
  ...["PATH", "TZ", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LD_LIBRARY_PATH", "NODE_ENV"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE"],
];

/** The variables that are passed on, by a list of what may be: a setting that is added later stays where it is. */
export const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
