import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "@graphiql/plugin-explorer/style.css";
import { explorerPlugin } from "@graphiql/plugin-explorer";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";

const fetcher = createGraphiQLFetcher({ url: new URL("graphql", location.href).href });
const plugins = [HISTORY_PLUGIN, explorerPlugin()];

// A tab for each action, on the first visit; from then on the visitor's own tabs are kept in this browser.
async function tabs() {
  const answer = await fetch("static/examples.json");
  const examples = answer.ok ? await answer.json() : [];
  return examples.map(({ query, variables }) => ({ query, variables: JSON.stringify(variables, null, 2) }));
}

createRoot(document.getElementById("page")).render(
  <GraphiQL fetcher={fetcher} plugins={plugins} defaultTabs={await tabs()} defaultEditorToolsVisibility="variables" />,
);
