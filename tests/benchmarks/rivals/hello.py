"""Strawberry's first example, behind its own view."""

import strawberry
from starlette.applications import Starlette
from starlette.routing import Route
from strawberry.asgi import GraphQL


@strawberry.type
class Query:
    @strawberry.field
    def hello(self) -> str:
        return "Hello World"


app = Starlette(routes=[Route("/graphql", GraphQL(strawberry.Schema(Query)))])
