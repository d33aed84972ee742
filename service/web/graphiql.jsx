import "./workers.js";
import "graphiql/style.css";
import "@graphiql/plugin-explorer/style.css";
import { explorerPlugin } from "@graphiql/plugin-explorer";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { createFetcher } from "./fetcher.js";
import { admitted } from "./key.js";

await admitted();
const fetcher = createFetcher(new URL("graphql", location.href).href);
const plugins = [HISTORY_PLUGIN, explorerPlugin()];
const customScalarSchemas = { JSON: {}, Seed: { type: ["string", "integer"] } };

// The tabs of the examples, on the first visit; from then on the visitor's own tabs are kept in this browser.
async function examples() {
  const answer = await fetch("static/examples.json");
  const found = answer.ok ? await answer.json() : [];
  return found.map(({ query, variables }) => ({ query, variables: JSON.stringify(variables, null, 2) }));
}

const defaultTabs = await examples();
// GraphiQL shows the first tab's query by itself, but not its variables.
const firstVisit = localStorage.getItem("graphiql:tabState") === null;
const initialVariables = firstVisit ? defaultTabs[0]?.variables : undefined;

createRoot(document.getElementById("page")).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    customScalarSchemas={customScalarSchemas}
    defaultTabs={defaultTabs.length > 0 ? defaultTabs : undefined}
    initialVariables={initialVariables}
    defaultEditorToolsVisibility="variables"
  />,
);
