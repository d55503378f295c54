import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Client } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import {
  buildFixture,
  CSV,
  clientOf,
  codeOf,
  csvBytes,
  declaration,
  type Fixture,
  openTestInstance,
  tokenFor,
} from "../instance.kit.ts";
import { serverFolders } from "./server-folders.ts";

let fixture: Fixture;
const folder = temporaryFolder();
const other = (line: string) => csvBytes(`${CSV}${line}\n`);

beforeAll(async () => {
  await mkdir(join(folder, "tables", "deep"), { recursive: true });
  await writeFile(join(folder, "tables", "deep", "staff.csv"), `${CSV}9,30,m,1\n`);
  await writeFile(join(folder, "tables", "notes.txt"), "not a table");
  await writeFile(join(folder, "secret.csv"), CSV);
  await symlink(join(folder, "secret.csv"), join(folder, "tables", "out.csv"));
  fixture = await buildFixture(await openTestInstance({ folders: [join(folder, "tables")] }));
});
afterAll(() => fixture.instance.close());

test("the same bytes are recognised for the admin of their dataset, and for no one else", async () => {
  const mine = await fixture.as.datasetAdmin.uploadFile({ name: "again.csv", content: csvBytes() });
  expect(mine.sameAs).toMatchObject([{ dataset: fixture.dataset, name: "staff" }]);
  for (const role of ["member", "teamAdmin", "auditor", "platformAdmin", "stranger"] as const) {
    const theirs = await fixture.as[role].uploadFile({ name: "again.csv", content: csvBytes() });
    expect(theirs.sameAs, role).toEqual([]);
    expect(Object.keys(theirs)).toEqual(Object.keys(mine));
    expect(JSON.stringify(theirs)).not.toMatch(/digest|owner/);
  }
});

test("who administers a dataset cannot give its people a second ledger by uploading them again", async () => {
  const { datasetAdmin, stranger } = fixture.as;
  const operator = clientOf(fixture.instance, fixture.instance.operatorToken);
  const { id: everyones } = await operator.createPerson({ name: "auditor of everything" });
  await operator.grantRole({ person: everyones, role: "auditor", object: { kind: "platform" } });
  const everyAuditor = clientOf(fixture.instance, await tokenFor(fixture.instance, everyones));
  const { id, sameAs } = await datasetAdmin.uploadFile({ name: "again.csv", content: csvBytes() });
  const again = { file: id, name: "staff again", declaration };
  expect(await codeOf(datasetAdmin.createDataset(again))).toBe("CONFLICT");
  const [same] = sameAs;
  const twin = await datasetAdmin.createDataset({ ...again, population: same?.population ?? "" });
  expect(twin.ledger?.id).toBe(fixture.ledger);
  expect(await codeOf(datasetAdmin.openLedger({ dataset: twin.id, epsilon: "1", delta: "0" }))).toBe("CONFLICT");
  // Where one table protects the people of a column, no other of theirs may protect rows.
  const rows = { ...again, name: "staff rows", population: same?.population ?? "" };
  const byRow = { ...declaration, privacyUnit: "row", contribution: undefined };
  await expect(datasetAdmin.createDataset({ ...rows, declaration: byRow })).rejects.toThrow("declaration.privacyUnit");
  // A stranger learns nothing: the same reply as for any other table.
  const file = await stranger.uploadFile({ name: "x.csv", content: csvBytes() });
  const elsewhere = { file: file.id, name: "elsewhere", declaration };
  expect(await codeOf(stranger.createDataset(elsewhere))).toBe("done");
  // Who answers for the platform hears of it; neither who declared it nor who has the first one does.
  const titles = async (who: Client) =>
    (await who.listNotifications({})).items.map(({ title }) => title).filter((title) => title.includes("bytes"));
  const elsewhereToo = "elsewhere and staff hold the same bytes and share no ledger";
  expect(await titles(fixture.as.platformAdmin)).toContain(elsewhereToo);
  expect(await titles(everyAuditor)).toContain(elsewhereToo);
  for (const role of ["datasetAdmin", "stranger", "teamAdmin", "member", "auditor"] as const)
    expect(await titles(fixture.as[role]), role).toEqual([]);
  // Nor by way of a new version of a dataset about others.
  const decoy = await datasetAdmin.uploadFile({ name: "decoy.csv", content: other("7,30,f,5") });
  const { id: decoyed } = await datasetAdmin.createDataset({ file: decoy.id, name: "decoy", declaration });
  await expect(datasetAdmin.createVersion({ dataset: decoyed, file: id })).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("declare the file as a new dataset about its people"),
    details: { name: "body.file" },
  });
});

test("bytes that a later version replaced are still known", async () => {
  const { datasetAdmin, platformAdmin, stranger } = fixture.as;
  const upload = (who: Client, line: string) => who.uploadFile({ name: "old.csv", content: other(line) });
  const first = await upload(datasetAdmin, "8,41,f,3");
  const { id } = await datasetAdmin.createDataset({ file: first.id, name: "replaced", declaration });
  const next = await upload(datasetAdmin, "8,41,f,3\n");
  await datasetAdmin.createVersion({ dataset: id, file: next.id });
  const again = await upload(datasetAdmin, "8,41,f,3");
  expect(again.sameAs).toMatchObject([{ dataset: id }]);
  const reborn = { file: again.id, name: "reborn", declaration };
  expect(await codeOf(datasetAdmin.createDataset(reborn))).toBe("CONFLICT");
  expect(await codeOf(datasetAdmin.createVersion({ dataset: id, file: again.id })), "its own").toBe("done");
  const theirs = await upload(stranger, "8,41,f,3");
  expect(await codeOf(stranger.createDataset({ ...reborn, file: theirs.id }))).toBe("done");
  const told = (await platformAdmin.listNotifications({})).items.filter(({ title }) => title.startsWith("reborn"));
  expect(told.map(({ title }) => title)).toEqual(["reborn and replaced hold the same bytes and share no ledger"]);
});

test("a name in use is reported only to those who see what has it", async () => {
  const { stranger, datasetAdmin, member } = fixture.as;
  const file = await stranger.uploadFile({ name: "x.csv", content: other("7,30,f,5") });
  const made = { file: file.id, name: "staff", declaration };
  expect(await codeOf(stranger.createDataset(made))).toBe("done");
  expect(await codeOf(stranger.createDataset(made))).toBe("CONFLICT");
  expect(await codeOf(stranger.createTeam({ name: "analysis" }))).toBe("done");
  expect(await codeOf(stranger.createTeam({ name: "analysis" }))).toBe("CONFLICT");
  expect(await codeOf(member.createTeam({ name: "analysis" }))).toBe("CONFLICT");
  expect((await datasetAdmin.showDataset({ dataset: fixture.dataset })).name).toBe("staff");
});

test("a name is no id: nothing is found by it", async () => {
  expect(await codeOf(fixture.as.datasetAdmin.showDataset({ dataset: "staff" }))).toBe("NOT_FOUND");
});

test("a table of an allowed folder is copied in; nothing outside of it can be named", async () => {
  const { platformAdmin, datasetAdmin } = fixture.as;
  const { items } = await platformAdmin.listServerFiles();
  expect(items.map(({ path }) => path)).toEqual(["tables/deep/staff.csv"]);
  const file = await platformAdmin.importFile({ path: "tables/deep/staff.csv" });
  expect(file).toMatchObject({ name: "staff.csv", columns: [{ name: "person" }, {}, {}, {}] });
  const said = await platformAdmin.importFile({ path: "tables/deep/staff.csv", encoding: "windows-1252" });
  expect(said.encoding).toBe("windows-1252");
  for (const path of [
    "tables/../secret.csv",
    "tables/out.csv",
    "tables/notes.txt",
    "tables",
    "tables/deep",
    "/etc/passwd",
    "tables/deep/staff.csv\0.csv",
    "elsewhere/staff.csv",
  ])
    expect(await codeOf(platformAdmin.importFile({ path })), path).toBe("NOT_FOUND");
  expect(await codeOf(datasetAdmin.importFile({ path: "tables/deep/staff.csv" }))).toBe("FORBIDDEN");
});

test("of a table of an allowed folder nothing below its header is shown as its header, however it is read", async () => {
  const { platformAdmin } = fixture.as;
  const path = "tables/deep/staff.csv";
  await writeFile(join(folder, path), `${CSV}9,30,m,11\n`); // an even number of bytes
  await expect(platformAdmin.importFile({ path, skip: 1 } as never)).rejects.toThrow(/skip/);
  for (const encoding of ["utf-16le", "UTF-16BE", "unicode"])
    await expect(platformAdmin.importFile({ path, encoding })).rejects.toThrow(/absent for UTF-16/);
});

test("a folder that is not there is refused at the start; one that goes away lists nothing", async () => {
  const gone = join(folder, "gone");
  expect(() => serverFolders([gone])).toThrow(/server folder is .*gone", must be a folder that is there/);
  await mkdir(gone);
  const folders = serverFolders([gone]);
  await rm(gone, { recursive: true });
  expect(await folders.list()).toEqual([]);
  expect(await codeOf(folders.find("gone/staff.csv"))).toBe("NOT_FOUND");
});

test("the sentence before it is given is the sentence that is given, with its ceiling", async () => {
  const { datasetAdmin } = fixture.as;
  const file = await datasetAdmin.uploadFile({ name: "y.csv", content: other("7,30,f,6") });
  const { id } = await datasetAdmin.createDataset({ file: file.id, name: "ceiling", unit: "person", declaration });
  const terms = { dataset: id, epsilon: "1", delta: "1e-6", ceiling: { epsilon: "2", delta: "1e-6" } };
  const preview = await datasetAdmin.previewLedger(terms);
  expect(preview.sentence).toContain("any one person");
  expect(preview.ceiling).toEqual({ epsilon: "2", delta: "0.000001" });
  expect(await codeOf(datasetAdmin.previewLedger({ ...terms, ceiling: { epsilon: "0.5", delta: "1e-6" } }))).toBe(
    "INVALID_PARAMETER",
  );
  const opened = await datasetAdmin.openLedger(terms);
  expect(opened.guarantee.sentence).toBe(preview.sentence);
  expect(await codeOf(datasetAdmin.previewLedger(terms))).toBe("CONFLICT");
});

test("another delimiter reads another header, and a file of someone else has none", async () => {
  const { datasetAdmin, stranger } = fixture.as;
  const { id } = await datasetAdmin.uploadFile({ name: "z.csv", content: csvBytes("a;b;c\n1;2;3\n") });
  const { columns } = await datasetAdmin.describeFile({ file: id, delimiter: "semicolon" });
  expect(columns.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(await codeOf(stranger.describeFile({ file: id, delimiter: "semicolon" }))).toBe("NOT_FOUND");
  expect(await codeOf(clientOf(fixture.instance, fixture.tokens.member).describeFile({ file: "fil_x" }))).toBe(
    "NOT_FOUND",
  );
});

test("a text with comments is read where its upload and its declaration say their sign", async () => {
  const { datasetAdmin } = fixture.as;
  const content = () => csvBytes("# made in 2024\na,b\n1,2\n# end\n");
  expect(await codeOf(datasetAdmin.uploadFile({ name: "c.csv", content: content() }))).toBe("DATA_UNREADABLE");
  expect(await codeOf(datasetAdmin.uploadFile({ name: "c.csv", content: content(), comment: "a" }))).toBe(
    "INVALID_PARAMETER",
  );
  const { id, columns } = await datasetAdmin.uploadFile({ name: "c.csv", content: content(), comment: "#" });
  expect(columns.map(({ name }) => name)).toEqual(["a", "b"]);
  const described = await datasetAdmin.describeFile({ file: id, delimiter: "comma", comment: "#" });
  expect(described.columns).toEqual(columns);
  const over = { privacyUnit: "row", columns: { a: { type: "integer", lower: 0, upper: 9 } } };
  const create = (source: object) =>
    datasetAdmin.createDataset({ file: id, name: "commented", declaration: { ...over, source } });
  expect(await codeOf(create({}))).toBe("DATA_UNREADABLE");
  const dataset = await create({ comment: "#" });
  expect(dataset.declaration.source).toEqual({ csv: "c.csv", comment: "#" });
});

test("what a statistical file says is shown to who sends it and declares its dataset; lists leave it out", async () => {
  const { stranger } = fixture.as;
  const people = await readFile(join(import.meta.dirname, "convert/golden/people.zsav"));
  const sent = await stranger.uploadFile({ name: "people.zsav.gz", content: new Blob([gzipSync(people)]).stream() });
  expect(sent).toMatchObject({ format: "csv", packed: "gz", from: { format: "sav", says: { kind: "SPSS" } } });
  const { items } = await stranger.listFiles();
  expect(items.find(({ id }) => id === sent.id)?.from).toEqual({ format: "sav" });
  const { says } = await stranger.describeFile({ file: sent.id });
  const columns = says?.declaration.columns as Readonly<Record<string, object>>;
  const declared = {
    ...{ privacyUnit: { column: "person" }, contribution: { rows: 1 } },
    columns: { person: columns.person, sex: columns.sex, age: { ...columns.age, lower: 0, upper: 120 } },
  };
  const made = await stranger.createDataset({ file: sent.id, name: "people", declaration: declared });
  expect(made.declaration.columns).toMatchObject({ sex: { valueLabels: { 1: "male", 2: "female" } } });
});
