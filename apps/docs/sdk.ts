import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Application, Converter, ReflectionKind } from "typedoc";

const sdk = resolve(import.meta.dirname, "../../packages/dosimeter");

const methods =
  "`createClient` makes a client with one method for each [route](../api.md#routes), under its name there, and three more, listed below.";

const layout = {
  outputFileStrategy: "modules",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useHTMLAnchors: false,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  typeAliasPropertiesFormat: "table",
};

/** What the three entries of the package `dosimeter` export, each a page: its id and its text. */
export async function sdkPages(): Promise<readonly (readonly [id: string, text: string])[]> {
  const out = mkdtempSync(join(tmpdir(), "sdk-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      entryPoints: ["index", "plot", "server"].map((entry) => join(sdk, `src/${entry}.ts`)),
      tsconfig: join(sdk, "tsconfig.json"),
      plugin: ["typedoc-plugin-markdown"],
      out,
      readme: "none",
      disableSources: true,
      // `tsc` has checked these sources; here they are only read.
      skipErrorChecking: true,
      treatWarningsAsErrors: true,
      logLevel: "Warn",
      ...layout,
    });
    app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
      // One method for each route: `docs/api.md` has them with what they take and answer.
      for (const each of project.getReflectionsByKind(ReflectionKind.Property))
        if (each.parent?.name === "Client") project.removeReflection(each);
    });
    const project = await app.convert();
    if (project === undefined) throw new Error("TypeDoc could not read packages/dosimeter");
    await app.generateOutputs(project);
    if (app.logger.hasWarnings() || app.logger.hasErrors()) throw new Error("TypeDoc found a link that leads nowhere");
    return [
      ["sdk/dosimeter", `# TypeScript: dosimeter\n\n${methods}\n${pageOf(out, "index")}`],
      ["sdk/plot", `# TypeScript: dosimeter/plot\n${pageOf(out, "plot")}`],
      ["sdk/server", `# TypeScript: dosimeter/server\n${pageOf(out, "server")}`],
    ];
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** It has a word of nearly every question: search names the page that answers one first. */
const pageOf = (out: string, name: string): string =>
  `<div data-pagefind-weight="0.1">\n\n${readFileSync(join(out, `${name}.md`), "utf8").replace(/^# .+\n/, "")}\n</div>\n`;
