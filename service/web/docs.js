import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

SwaggerUI({
  dom_id: "#page",
  url: "openapi.json",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null, // or it would ask a stranger what it thinks of the contract
});
