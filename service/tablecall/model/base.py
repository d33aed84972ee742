"""What every request and sheet is made of: strict models in the wire's words, and the few scalar shapes they share.

Field names are snake_case here and camelCase on the wire. Unknown fields are refused, integers are strict (``true`` and
``"3"`` are refused, ``3.0`` is 3), every text and list has a bound. The text under a field is its published description.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_origin

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

LONG = 2_000
"""A document with more commas than this is long: see `Body.read`."""
MAX_ERRORS = 3_000
"""The most places that a refusal is made of. A document that is not long has no more."""
MAX_SEED = 256
MAX_SAFE_INTEGER = 2**53 - 1


def _whole(value: Any) -> Any:
    """JSON Schema calls 3.0 an integer: so do we."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = BeforeValidator(_whole)
"""Marks an integer that may arrive as 3.0. Use with bounds: ``Annotated[int, Field(ge=0, le=9), WholeNumber]``."""


def _left_out(value: Any) -> Any:
    return {} if value is None else value


class MayBeNull:
    """Marks an object with nothing but defaults that may be sent as null, which says as much as to leave it out.

    The models that clients generate for themselves have no other default for it, and send that.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Null is the object without any name."""
        return core_schema.no_info_before_validator_function(_left_out, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Null is sent, but never answered."""
        found = handler(schema)
        return found if handler.mode == "serialization" else {"anyOf": [found, {"type": "null"}]}


NO_CONTROLS = r"^[^\u0000-\u001f\u007f-\u009f]*$"
# A lone surrogate has no bytes in UTF-8 for the dice to be made of; JSON that is UTF-8 cannot hold one either.
_SEED = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*")
ROLL = r"^[A-Za-z0-9.]+$"
PATTERNS = {NO_CONTROLS: "a text here has no control characters", ROLL: "the name of a roll has letters, digits and dots only"}
"""Each pattern of a text, in words."""
Text = Annotated[str, StringConstraints(max_length=500, pattern=NO_CONTROLS)]
"""One line of text, up to 500 characters, no control characters."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=NO_CONTROLS)]
"""A name: 1 to 120 characters, no control characters."""
Id = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=NO_CONTROLS)]
"""The caller's own identifier: passed through untouched."""


def _seed(value: Any) -> str | int:
    """Text of 1 to 256 characters without control characters, or a whole number that every JSON reader keeps exactly."""
    value = _whole(value)
    if isinstance(value, str) and 1 <= len(value) <= MAX_SEED and _SEED.fullmatch(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_SAFE_INTEGER:
        return value
    raise not_allowed(f"a seed is text of 1 to {MAX_SEED} characters without control characters, or an integer within ±(2⁵³−1)")


Seed = Annotated[
    str | int,
    PlainValidator(_seed),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": MAX_SEED, "pattern": NO_CONTROLS},
                {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER},
            ]
        }
    ),
]
"""Text (1 to 256 characters) or an integer within ±(2⁵³−1), which means its decimal text."""


def _new_list() -> list[Any]:
    # Not `list` itself: `model_construct` asks for the signature of the factory, and that of a builtin takes 100 µs.
    return []


def empty_list() -> Any:
    """A default of ``[]`` that is made for each object. Pydantic would deep-copy a plain ``[]``, which takes twenty times as long."""
    return Field(default_factory=_new_list, json_schema_extra={"default": []})


class Model(BaseModel):
    """The habits of every request and sheet."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )

    def derive(self, name: str, value: object) -> None:
        """Fill a field that was left out with what follows from the others. It does not count as sent, nor does a null."""
        self.__dict__[name] = value
        self.model_fields_set.discard(name)


class Participant(Model):
    """Someone a request names, who comes back in ``after`` under the same name.

    ``one_shot_fields``: fields that apply to this roll only. They come back empty, so the next request can carry the participant
    unchanged. ``is_sheet``: a whole character sheet, too large for the query string.
    """

    one_shot_fields: ClassVar[frozenset[str]] = frozenset()
    is_sheet: ClassVar[bool] = False


class GivenDice(Model):
    """Dice rolled at the table for one roll."""

    roll: Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=ROLL)]
    """The roll they are for: where its roller stands in the request, `actor`, `attackers.0`, `defender.damage`."""
    faces: Annotated[list[Annotated[int, Field(ge=-1000, le=1000), WholeNumber]], Field(max_length=200)]
    """The faces in the order drawn: all base dice first, then the re-rolls from left to right."""


class Body(Model):
    """What every action's request may carry.

    ``unbounded``: the action runs until the dice end it, for an unknown number of rounds. ``large_ruling``: the ruling may be large,
    because it contains others. ``may_be_same_character``: places of the request that may hold the same character at the same time;
    it then comes back the same from all of them.
    """

    unbounded: ClassVar[bool] = False
    large_ruling: ClassVar[bool] = False
    may_be_same_character: ClassVar[frozenset[str]] = frozenset()

    seed: Seed | None = None
    """The same seed gives the same dice, for ever. Left out, the service draws one and returns it."""
    rng: Annotated[str, StringConstraints(min_length=1, max_length=40)] | None = None
    """Pins the dice algorithm, `tablecall-1`; one the service does not have is refused."""
    dice: Annotated[list[GivenDice], Field(max_length=200)] = empty_list()
    """Dice rolled at the table; the rolls not named here use the seed."""
    include: Annotated[list[Literal["factors", "options"]], Field(max_length=2)] = empty_list()
    """What costs extra and is left out unless asked for. In GraphQL, selecting the field asks for it."""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Validate a document. Refuses (`pydantic.ValidationError`) with all errors, or with some errors of a long document.

        Pydantic takes about 2 µs for each error, and one megabyte can hold 100,000 of them. So a long document is first validated
        up to the first wrong item of each list, and more than `MAX_ERRORS` are reported as one.
        """
        try:
            if orjson.dumps(document).count(b",") > LONG:
                _failing_fast(cls).model_validate(document)
            return cls.model_validate(document)
        except ValidationError as error:
            if error.error_count() <= MAX_ERRORS:
                raise
            summary = not_allowed(f"more than {MAX_ERRORS} places here are wrong: compare it with the published schema")
            raise ValidationError.from_exception_data(cls.__name__, [{"type": summary, "input": None}]) from None

    @property
    def sent(self) -> dict[str, Any]:
        """The document it was read from, in the wire's words: what nobody said is not in it."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class Simulable(Body):
    """What a request may carry whose odds may be too large to count: they may be simulated instead."""

    method: Literal["exact", "simulation"] = "exact"
    """How the odds are found; a ruling is the same either way. `exact`: counted, or refused where that is too much.
    `simulation`: so many `trials` are played, with the seed, and the odds come with an interval for each outcome."""
    trials: Annotated[int, Field(ge=100, le=100_000), WholeNumber] = 10_000
    """How often it is played in a simulation."""


@cache
def _failing_fast(model: type[Body]) -> type[Body]:
    """The same model, but its own lists are validated only up to the first wrong item."""
    lists = {name: field for name, field in model.model_fields.items() if get_origin(field.annotation) is list}
    fields: dict[str, Any] = {name: (Annotated[field.annotation, FailFast()], field) for name, field in lists.items()}
    return create_model(model.__name__, __base__=model, **fields)


def not_allowed(detail: str, *, rule: str | None = None, at: str = "") -> PydanticCustomError:
    """What a model's own validator raises: a sentence, the rule that speaks, and the place within the model."""
    return PydanticCustomError("not-allowed", "{detail}", {"detail": detail, "rule": rule, "at": at})
