import { DefaultQueryCompiler } from "kysely";

/** How DuckDB writes parameters, names and texts: `$1`, `"a ""name"""`, `'a ''text'''`. A backslash is a letter like any other. */
export class DuckDbQueryCompiler extends DefaultQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return `$${this.numParameters}`;
  }

  protected override sanitizeIdentifier(name: string): string {
    return name.replaceAll('"', '""');
  }

  protected override sanitizeStringLiteral(text: string): string {
    return text.replaceAll("'", "''");
  }
}
