"""What is derived from the models: JSON Schema, OpenAPI, enumerations, golden rulings."""
