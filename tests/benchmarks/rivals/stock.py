"""Our GraphQL schema behind Strawberry's own view and graphql-core's own execution, its documents kept parsed and validated."""

from starlette.applications import Starlette
from starlette.routing import Route
from strawberry.asgi import GraphQL

from tablecall.graphql.schema import SCHEMA

app = Starlette(routes=[Route("/graphql", GraphQL(SCHEMA))])
