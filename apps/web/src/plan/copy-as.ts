import { quoted } from "@dosimeter/plot/report";
import type { Plan } from "@dosimeter/query/statistics";

/** The dataset and account of a plan; none on a page without a server. */
export interface CopyTarget {
  readonly dataset: { readonly id: string; readonly name: string };
  readonly account: { readonly id: string; readonly path: string };
  readonly url: string;
}

/**
 * The same plan for a shell, for HTTP and for programs; each shows how to quote it and how to release it. `reuse` says which
 * earlier answers the rows take: without it the server draws every row afresh and charges it.
 */
export function copyAs(
  plan: Plan,
  saved: object,
  target: CopyTarget | null,
  reuse: Readonly<Record<string, string>> = {},
): Readonly<Record<CopyForm, string>> {
  const json = JSON.stringify(saved, null, 2);
  const name = quoted(target?.dataset.name ?? "<dataset>");
  const words = Object.entries(reuse).map(([row, word]) => ` --reuse ${quoted(`${row}=${word}`)}`);
  const account = target === null ? "" : ` --account ${quoted(target.account.path)}`;
  const options = `${account} --plan plan.json${words.join("")}`;
  const body = {
    dataset: target?.dataset.id ?? "<dataset id>",
    account: target?.account.id ?? "<account id>",
    plan,
    ...(words.length === 0 ? {} : { reuse }),
  };
  const url = target?.url ?? "https://dosimeter.example";
  const bodyText = JSON.stringify(body);
  return {
    cli: [
      "cat > plan.json <<'PLAN'",
      json,
      "PLAN",
      ...(target === null ? ["# this plan knows columns only: name a dataset that has them, with rows"] : []),
      `dosimeter plan quote ${name}${options}`,
      "# reads nothing, costs nothing; this pays and releases:",
      `# dosimeter release ${name}${options}`,
      "",
    ].join("\n"),
    curl: [
      `curl ${url}/v1/quotes \\`,
      '  -H "authorization: Bearer $DOSIMETER_TOKEN" -H "content-type: application/json" \\',
      `  -d ${quoted(JSON.stringify(body))}`,
      "# the same body to /v1/releases, with -H 'idempotency-key: <a new one>', pays and releases",
      "",
    ].join("\n"),
    typescript: [
      'import { createClient } from "@dosimeter/client";',
      "",
      `const client = createClient({ url: ${JSON.stringify(url)}, token: process.env.DOSIMETER_TOKEN });`,
      `const request = ${JSON.stringify(body, null, 2)};`,
      "const quote = await client.quotePlan(request); // reads nothing, costs nothing",
      "if (quote.admitted) console.log(await client.releaseAndWait(request)); // pays, once",
      "",
    ].join("\n"),
    // Plain HTTP, for a machine that has only `requests`; docs/python.md shows the client.
    python: [
      "import json, os, requests",
      `url = ${JSON.stringify(`${url}/v1`)}`,
      "web = requests.Session()",
      'web.headers["Authorization"] = "Bearer " + os.environ["DOSIMETER_TOKEN"]',
      `ask = json.loads(${JSON.stringify(bodyText)})`,
      'quote = web.post(url + "/quotes", json=ask).json()  # reads nothing, costs nothing',
      'print("Cost: epsilon", quote["cost"]["epsilon"], "fits" if quote["admitted"] else "does not fit")',
      "# this pays and releases, once for each key:",
      '# release = web.post(url + "/releases?wait=30", json=ask, headers={"Idempotency-Key": "a new one"}).json()',
      '# print(release["answers"])',
      "",
    ].join("\n"),
    r: [
      "library(httr2)",
      `web <- request(${JSON.stringify(`${url}/v1`)}) |> req_auth_bearer_token(Sys.getenv("DOSIMETER_TOKEN"))`,
      `ask <- ${JSON.stringify(bodyText)}`,
      "post <- function(path, ...) web |> req_url_path_append(path) |> req_headers(...) |>",
      '  req_body_raw(ask, type = "application/json") |> req_perform() |> resp_body_json()',
      'quote <- post("quotes") # reads nothing, costs nothing',
      'cat("Cost: epsilon", quote$cost$epsilon, if (quote$admitted) "fits" else "does not fit", "\\n")',
      "# this pays and releases, once for each key:",
      '# release <- post("releases", `Idempotency-Key` = "a new one")',
      "",
    ].join("\n"),
  };
}

export type CopyForm = "cli" | "curl" | "typescript" | "python" | "r";
