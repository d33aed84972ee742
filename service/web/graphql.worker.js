// The editor's worker for GraphQL, of which monaco-graphql lets one make one's own: an input field with a default may be left out.
import { initialize } from "monaco-editor/esm/vs/editor/editor.worker.js";
import { GraphQLWorker } from "monaco-graphql/esm/GraphQLWorker.js";

class Worker extends GraphQLWorker {
  // The JSON Schema of the variables asks for every field that is not null, and writes its default beside it.
  async doGetVariablesJSONSchema(uri) {
    const schema = await super.doGetVariablesJSONSchema(uri);
    for (const type of Object.values(schema?.definitions ?? {})) {
      type.required = type.required.filter((name) => !("default" in type.properties[name]));
    }
    return schema;
  }
}

globalThis.onmessage = () => initialize((context, data) => new Worker(context, data));
