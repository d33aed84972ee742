"""Everything derived from the models: JSON Schemas, OpenAPI, enumerations, golden rulings."""
