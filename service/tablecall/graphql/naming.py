"""Which operation of a document is meant."""

from __future__ import annotations

from collections.abc import Iterator

from graphql import OperationDefinitionNode
from strawberry.extensions import SchemaExtension
from strawberry.schema.exceptions import CannotGetOperationTypeError


class OneOperation(SchemaExtension):
    """Refuses several operations where none is named (GraphQL, section 6.1): Strawberry would run the first."""

    def on_parse(self) -> Iterator[None]:
        """Look once the document is there."""
        yield
        context = self.execution_context
        if context.graphql_document is None or context._provided_operation_name is not None:
            return
        if sum(isinstance(part, OperationDefinitionNode) for part in context.graphql_document.definitions) > 1:
            raise CannotGetOperationTypeError(None)
