"""Extensions of Strawberry's execution: validation with bounds, and the choice of an operation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from graphql import DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, specified_rules, validate
from strawberry.extensions import SchemaExtension
from strawberry.schema.exceptions import CannotGetOperationTypeError
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from tablecall.graphql.limits import MAX_CACHED, MAX_ERRORS, Limits

RULES = (*specified_rules, Limits, MaybeNullValidationRule, OneOfInputValidationRule)
"""GraphQL's own validation rules, the bounds, and Strawberry's."""


@lru_cache(MAX_CACHED)
def errors_of(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    """What is wrong with a document: at most `MAX_ERRORS` errors, and one more that says that there are others."""
    return validate(schema, document, RULES, max_errors=MAX_ERRORS)


class Validation(SchemaExtension):
    """Validates each document once, with a bound on the errors. Strawberry's own `ValidationCache` has no such bound."""

    def on_validate(self) -> Iterator[None]:
        """Validate before Strawberry would."""
        document = self.execution_context.graphql_document
        assert document is not None
        self.execution_context.pre_execution_errors = errors_of(self.execution_context.schema._schema, document)
        yield


class OneOperation(SchemaExtension):
    """Refuses several operations without an operation name (GraphQL, section 6.1). Strawberry would run the first."""

    def on_parse(self) -> Iterator[None]:
        """Count the operations once the document is parsed."""
        yield
        context = self.execution_context
        if context.graphql_document is None or context._provided_operation_name is not None:
            return
        if sum(isinstance(node, OperationDefinitionNode) for node in context.graphql_document.definitions) > 1:
            raise CannotGetOperationTypeError(None)
