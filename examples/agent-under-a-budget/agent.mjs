// Stands in for a language model: what it sends and reads is what a model would.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const agent = new Client({ name: "example", version: "1.0.0" });
await agent.connect(
  new StdioClientTransport({ command: "npx", args: ["dosimeter", "mcp"], env: process.env, stderr: "inherit" }),
);

/** What a tool says: its answer, or the facts of a refusal, which are the second text. */
async function call(name, args = {}) {
  const { isError = false, content, structuredContent } = await agent.callTool({ name, arguments: args });
  return isError ? { isError, ...JSON.parse(content[1].text) } : { isError, ...structuredContent };
}

const [dataset] = (await call("list_datasets")).items;
const [account] = (await call("my_budget")).items;
console.log(`I may ask about ${dataset.name}, and have ε = ${account.balance.epsilon.left}.`);

/** Asks how many; the key makes a repeated call free. */
async function count(key, where, epsilon) {
  const plan = { statistics: [{ statistic: "count", where, epsilon }] };
  const said = await call("release", { dataset: dataset.id, account: account.id, key, plan });
  if (said.isError) {
    console.log(`${where}, ε = ${epsilon}: refused, ${said.code}. At most ε = ${said.largestEpsilon} fits.`);
    return said.largestEpsilon;
  }
  const { answers } = said.stage === "done" ? said : await call("wait_release", { release: said.id });
  console.log(`${where}, ε = ${epsilon}: about ${answers[0].cells[0].value} people.`);
  return null;
}

await count("old", "age >= 65", "0.2");
const fits = await count("south", "region = 'south'", "0.2");
await count("south-again", "region = 'south'", fits);
const [left] = (await call("my_budget")).items;
console.log(`I have ε = ${left.balance.epsilon.left} left.`);
await agent.close();
