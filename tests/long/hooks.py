"""What schemathesis must be told of the schema's own scalars."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from hypothesis_graphql import nodes
from schemathesis import graphql

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)

graphql.scalar("Seed", st.integers().map(nodes.Int) | st.text(max_size=8).map(nodes.String))
graphql.scalar("JSON", ANYTHING.map(json.dumps).map(nodes.String))
