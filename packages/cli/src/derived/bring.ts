import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import type { Client, File, Input } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { isRecord, present } from "@dosimeter/core/internal";
import { isConnected, overFile, pathIn, signsOf, uploadFormatOf } from "@dosimeter/query/source";
import { listOf } from "../find.ts";
import { canAnswer, sure } from "../terminal/sure.ts";
import type { Given, Scene } from "./row.ts";

/** How the text or the workbook of a file is read. */
export type Reading = Omit<Input<"uploadFile">, "name" | "content">;

/** The server refuses an encoding that it does not know. */
export const readingOf = ({ sheet, encoding, skip, footer }: Given, declaration: Given): Reading => ({
  ...({ sheet, encoding, skip, footer } as Reading),
  ...signsOf(declaration),
});

/** Streams the file to the server; it answers the columns it found, never a value. */
export async function upload(client: Client, path: string, reading: Reading): Promise<File> {
  if ((await stat(path)).isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR", path });
  const blob = await openAsBlob(path);
  return client.uploadFile({ name: basename(path), content: blob.stream(), ...reading });
}

/** A file by the id that `dataset import` and `dataset files` gave it, with its name. */
async function brought(client: Client, file: unknown): Promise<File | undefined> {
  if (typeof file !== "string" || !/^fil_\w+$/.test(file)) return undefined;
  return (await listOf(client.all("listFiles"))).find(({ id }) => id === file);
}

/** The file to declare, or a table of a connection, and its declaration. */
export async function declared(given: Given, scene: Scene) {
  const { client, terminal, raw } = scene;
  const { file, name } = given;
  const declaration = isRecord(given.declaration)
    ? given.declaration
    : invalid("--declaration", given.declaration, "an object");
  const source = isRecord(declaration.source) ? declaration.source : {};
  if (isConnected(source) && file === undefined) return {};
  const known = await brought(client, file);
  const from = String(raw.declaration);
  const base = from.startsWith("{") || from === "-" ? terminal.cwd : dirname(resolve(terminal.cwd, from));
  const inSource = pathIn(source);
  const path =
    file === undefined
      ? inSource && resolve(base, String(inSource))
      : resolve(terminal.cwd, known?.name ?? String(file));
  if (typeof path !== "string") return invalid("file", undefined, "given, or named by the declaration's source");
  const named = { ...declaration, name: name ?? declaration.name ?? basename(path, extname(path)) };
  const stored = known ?? (await broughtFor(scene, path, given, named));
  const says = stored.from?.says ?? (known?.from && (await client.describeFile({ file: known.id })).says);
  return { file: stored.id, declaration: declaredOver(named, path, says) };
}

/** A declaration over this file, and what the file itself says. */
export const declaredOver = (declaration: Given, path: string, says: NonNullable<File["from"]>["says"]): Given => ({
  ...declaration,
  ...(says === undefined ? {} : { columns: withSaid(declaration.columns, says.declaration.columns) }),
  source: overFile(isRecord(declaration.source) ? declaration.source : {}, uploadFormatOf(path), basename(path)),
});

/** What a statistical file says of the declared columns, of all where none is declared, and what the declaration says otherwise. */
function withSaid(given: unknown, said: unknown): Given {
  if (!isRecord(said) || (given !== undefined && !isRecord(given))) return given as Given;
  const entries = Object.entries(given ?? said).map(([name, column]) => {
    const [ours, theirs] = [isRecord(column) ? column : {}, isRecord(said[name]) ? said[name] : {}];
    const { label, description, ...typed } = theirs;
    const isSame = ours.type === undefined || ours.type === theirs.type;
    return [name, { ...present({ label, description }), ...(isSame ? typed : {}), ...ours }];
  });
  return Object.fromEntries(entries);
}

/** A file that no one else knows of: a refusal leaves nothing of it on the server. A person at a terminal sees first how it fits. [M413] */
async function broughtFor(
  { client, undo, terminal }: Scene,
  path: string,
  given: Given,
  by: Given,
  isPart = false,
): Promise<File> {
  const reading = readingOf(given, by);
  const isShown = given.unchecked !== true && given.fitted !== true && canAnswer(terminal);
  if (isShown) {
    const { showFit } = await import("./fit-here.ts");
    const over = (file: File) => declaredOver(by, path, file.from?.says);
    const send = (here: Client) => upload(here, path, reading);
    if (await showFit(terminal, { send, declaredOver: over, isPart }))
      await sure("Nothing was sent yet. It is declared as it stands.", terminal);
  }
  const stored = await upload(client, path, isShown || given.fitted === true ? { ...reading, fit: "seen" } : reading);
  undo.push(() => client.eraseFile({ file: stored.id }));
  return stored;
}

const bringTo = async (given: Given, scene: Scene, isPart: boolean): Promise<string> => {
  const { client, terminal } = scene;
  const { declaration = (await client.showDataset({ dataset: String(given.dataset) })).declaration } = given;
  const known = await brought(client, given.file);
  const path = resolve(terminal.cwd, String(given.file));
  const by = { name: basename(path), ...(declaration as Given) };
  return (known ?? (await broughtFor(scene, path, given, by, isPart))).id;
};

/** Other rows of the same people, or the same ones. */
export const replaced = async (given: Given, scene: Scene) =>
  given.file === undefined ? {} : { file: await bringTo(given, scene, false) };

/** More rows. */
export const appended = async (given: Given, scene: Scene) => ({ file: await bringTo(given, scene, true) });
