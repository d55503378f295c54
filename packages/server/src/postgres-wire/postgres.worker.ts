import { readFile, writeFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { loadModule } from "libpg-query";
import { analyse } from "./analysis/analyse.ts";
import { counterOfMessages } from "./encode.ts";
import { type Asking, MAX_BYTES, MAX_MESSAGES, type Said, TOO_LARGE } from "./process.ts";

/** A PostgreSQL that holds no private row and no answer, in a process that its server may end at any time. */
let opened: Promise<PGlite> | null = null;

const open = async (snapshot: string): Promise<PGlite> => {
  const image = await readFile(snapshot);
  return PGlite.create({ loadDataDir: new Blob([image]), relaxedDurability: true });
};

/** Made once, as it takes longer than to start from it. */
async function makeSnapshot(path: string): Promise<void> {
  const made = await PGlite.create({ postgresqlconf: ["shared_buffers = 2MB", "default_transaction_read_only = on"] });
  await made.exec("SET default_transaction_read_only = off");
  await made.exec(EMPTY);
  await writeFile(path, Buffer.from(await (await made.dumpDataDir("none")).arrayBuffer()), { mode: 0o600 });
}

/**
 * The role that everyone is, and the policy of every table: a row is never shown, nor taken for none. What runs SQL that stands in a text is
 * taken away, as no parser sees it before.
 */
const EMPTY = `
CREATE ROLE "somebody";
CREATE SCHEMA dosimeter;
CREATE FUNCTION dosimeter.private_rows() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'rows of a dataset are private: they are read by an aggregate alone' USING ERRCODE = '42501';
END $$;
GRANT USAGE ON SCHEMA dosimeter TO PUBLIC;
DO $$ DECLARE one regprocedure; BEGIN
  FOR one IN SELECT oid::regprocedure FROM pg_proc WHERE proname IN
    ('query_to_xml', 'query_to_xmlschema', 'query_to_xml_and_xmlschema', 'ts_stat',
    'pg_sleep', 'pg_sleep_for', 'pg_sleep_until')
    OR proname = 'ts_rewrite' AND pronargs = 2
  LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one); END LOOP;
END $$`;

async function answer(asking: Asking): Promise<unknown> {
  if (asking.kind === "snapshot") return makeSnapshot(asking.path);
  if (asking.kind === "analyse") {
    await loadModule();
    return analyse(asking.text, asking.names);
  }
  if (asking.kind === "open") {
    opened = open(asking.snapshot);
    return void (await opened);
  }
  const database = await opened;
  if (database === null) throw new Error("nothing is open");
  const parts: Uint8Array[] = [];
  let size = 0;
  const count = counterOfMessages();
  await database.execProtocolRawStream(asking.bytes, {
    syncToFs: false,
    onRawData(bytes) {
      size += bytes.length;
      if (size > MAX_BYTES || count(bytes) > MAX_MESSAGES) process.exit(TOO_LARGE);
      parts.push(Uint8Array.from(bytes));
    },
  });
  return Buffer.concat(parts);
}

process.on("message", (asking: Asking) => {
  void answer(asking).then(
    (result) => process.send?.({ id: asking.id, result } satisfies Said),
    (error: unknown) => process.send?.({ id: asking.id, error: String(error) } satisfies Said),
  );
});
// The server has ended, perhaps without a word.
process.on("disconnect", () => process.exit());
