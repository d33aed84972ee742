// The editors' workers, each a file of our own: what graphiql/setup-workers/vite does, but for the one for GraphQL.
import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphQLWorker from "./graphql.worker.js?worker";

const workers = { json: JsonWorker, graphql: GraphQLWorker };
globalThis.MonacoEnvironment = { getWorker: (_, label) => new (workers[label] ?? EditorWorker)() };
