"""The base models of every request and sheet, and the scalar types they share.

Field names are snake_case here and camelCase on the wire. Unknown fields are refused, integers are strict (``true`` and
``"3"`` are refused, ``3.0`` is 3), every text and list has a bound. The text under a field is its published description.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_origin

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    PlainValidator,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from tablecall.model import documented
from tablecall.model.names import name_key, visible
from tablecall.model.refusals import facts_of
from tablecall.model.suggestions import nearest
from tablecall.model.text import Language

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

LONG = 2_000
"""A document with more commas than this is long (`Body.read`)."""
MAX_ERRORS = 3_000
"""The most errors that a refusal is built from. Documents that are not long cannot have more."""
MAX_SEED = 256
MAX_ID = 120
MAX_DATA = 4096
MAX_SAFE_INTEGER = 2**53 - 1


def _whole(value: Any) -> Any:
    """Accept 3.0 as an integer, as JSON Schema does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = BeforeValidator(_whole)
"""Marks an integer that may arrive as 3.0. Use with bounds: ``Annotated[int, Field(ge=0, le=9), WholeNumber]``."""


def spelled_as(names: Iterable[str]) -> BeforeValidator:
    """Marks a name from a table: it may differ from that in ``names`` in case, blanks at either end and Unicode form."""
    spellings = {name_key(name): name for name in names}
    return BeforeValidator(lambda value: spellings.get(name_key(value), value) if isinstance(value, str) else value)


NO_CONTROLS = r"^[^\u0000-\u001f\u007f-\u009f]*$"
# A lone surrogate has no UTF-8 bytes to derive dice from; JSON in UTF-8 cannot contain one either.
_SEED = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*")
ROLL = r"^[A-Za-z0-9.]+$"
PATTERNS = {NO_CONTROLS: "no_controls", ROLL: "roll_name"}
"""The key of the sentence about each pattern."""
Text = Annotated[str, StringConstraints(max_length=500, pattern=NO_CONTROLS)]
"""One line of text, up to 500 characters, no control characters."""


def _visible(name: str) -> str:
    """Refuse a name of blanks and invisible characters: nobody could read it."""
    if not visible(name):
        raise not_allowed("refused.name_invisible", code="bad-characters")
    return name


Name = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=NO_CONTROLS), AfterValidator(_visible)]
"""A name: 1 to 120 characters, at least one of which can be seen, no control characters."""


def _id(value: Any) -> str | int:
    """Text of 1 to 120 characters without control characters, or an integer that every JSON reader keeps exactly."""
    value = _whole(value)
    if isinstance(value, str) and 1 <= len(value) <= MAX_ID and _SEED.fullmatch(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_SAFE_INTEGER:
        return value
    raise not_allowed("refused.id", code="wrong-type", max=MAX_ID)


Id = Annotated[
    str | int,
    PlainValidator(_id),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": MAX_ID, "pattern": NO_CONTROLS},
                {"type": "integer", "minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER, "format": "int64"},
            ]
        }
    ),
]
"""The caller's own identifier, text or an integer, returned as it was sent. 1 and "1" are the same."""


def _data(value: Any) -> dict[str, Any]:
    """A JSON object of at most 4 KB."""
    if not isinstance(value, dict):
        raise not_allowed("refused.data_object", code="wrong-type")
    try:
        size = len(orjson.dumps(value))
    except TypeError:
        raise not_allowed("refused.data_object", code="wrong-type") from None
    if size > MAX_DATA:
        raise not_allowed("refused.data_too_long", code="too-long", max=MAX_DATA)
    return value


Data = Annotated[dict[str, Any], PlainValidator(_data), WithJsonSchema({"type": "object", "additionalProperties": True})]
"""Anything of the caller's own, up to 4 KB of JSON, returned untouched."""


def _seed(value: Any) -> str | int:
    """Text of 1 to 256 characters without control characters, or an integer that every JSON reader keeps exactly."""
    value = _whole(value)
    if isinstance(value, str) and 1 <= len(value) <= MAX_SEED and _SEED.fullmatch(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_SAFE_INTEGER:
        return value
    raise not_allowed("refused.seed", code="wrong-type", max=MAX_SEED)


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
"""Text (1 to 256 characters), or an integer within ±(2⁵³−1), which stands for its decimal text."""


def _new_list() -> list[Any]:
    # Not `list` itself: `model_construct` asks for the signature of the factory, and that of a builtin takes 100 µs.
    return []


def empty_list() -> Any:
    """A default of ``[]``, made for each object. Pydantic would deep-copy a plain ``[]``, which takes twenty times as long."""
    return Field(default_factory=_new_list, json_schema_extra={"default": []})


class _ByName(ModelMetaclass):
    """Lets Python code construct a model by the python names of its fields; JSON has only their names on the wire."""

    def __call__(self, /, **values: Any) -> Any:
        """A model with these values, by either name."""
        fields = getattr(self, "model_fields")  # noqa: B009 — unknown to the metaclass
        return super().__call__(**{fields[name].alias or name if name in fields else name: value for name, value in values.items()})


class Model(BaseModel, metaclass=_ByName):
    """The base of every request and sheet."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
        use_attribute_docstrings=documented.WANTED,
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_left_out(cls, document: Any) -> Any:
        """Null means that a field was left out, also where it has a default."""
        if isinstance(document, dict) and None in document.values():
            return {name: value for name, value in document.items() if value is not None}
        return document

    def derive(self, name: str, value: object) -> None:
        """Fill a field that was left out, or sent as null, with a value that follows from others. It does not count as sent."""
        self.__dict__[name] = value
        self.model_fields_set.discard(name)


class Participant(Model):
    """Someone who takes part in an action. They come back in ``after`` under the same name.

    ``one_shot_fields``: wire names of fields that apply to this roll only. They do not come back, so the next request can carry the
    participant unchanged; with ``keeps_one_shots`` the rule says which were used up (`Verdict.removed`). ``options``: python names of
    fields that a ruling reports in its notes if they were sent and had no effect. ``is_sheet``: a whole character sheet, too large for
    the query string. ``bare_state``: wire names of what a participant without a sheet carries itself. ``unique_id``: no other participant
    of the request has the same id.
    """

    one_shot_fields: ClassVar[frozenset[str]] = frozenset()
    keeps_one_shots: ClassVar[bool] = False
    options: ClassVar[frozenset[str]] = frozenset()
    is_sheet: ClassVar[bool] = False
    bare_state: ClassVar[frozenset[str]] = frozenset()
    unique_id: ClassVar[bool] = True


class GivenDice(Model):
    """Dice rolled at the table, for one roll."""

    roll: Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=ROLL)]
    """The roll they are for, by its roller's place in the request: `actor`, `attackers.0`, `defender.damage`."""
    faces: Annotated[list[Annotated[int, Field(ge=-1000, le=1000), WholeNumber]], Field(max_length=200)]
    """The faces in the order drawn: all base dice first, then the re-rolls from left to right."""


class Body(Model):
    """The fields every action's request may have.

    ``unbounded``: the action runs until the dice end it, for an unknown number of rounds. ``large_ruling``: the ruling may be large,
    because it contains others. ``may_be_same_character``: places of the request that may hold the same character at the same time;
    it then comes back the same from all of them. ``options``: as for a `Participant`.
    """

    unbounded: ClassVar[bool] = False
    large_ruling: ClassVar[bool] = False
    may_be_same_character: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[frozenset[str]] = frozenset()

    seed: Seed | None = None
    """The same seed always gives the same dice. If left out, the service draws one and returns it."""
    rng: Annotated[str, StringConstraints(min_length=1, max_length=40)] | None = None
    """The dice algorithm to use, `tablecall-1`; an unknown one is refused."""
    dice: Annotated[list[GivenDice], Field(max_length=200)] = empty_list()
    """Dice rolled at the table. Rolls not named here use the seed."""
    include: Annotated[list[Literal["factors", "options", "odds"]], Field(max_length=3)] = empty_list()
    """Extra parts of the ruling: how much each contribution mattered, what may still be chosen, and the odds of the same request.
    In GraphQL, selecting the field includes it."""
    language: Language | None = None
    """The language of all sentences, `en` or `de`. If left out, `Accept-Language` decides. It changes no number."""
    method: Literal["auto", "exact", "simulation"] = "auto"
    """How odds are computed; a ruling does not depend on it. `exact`: counted, or refused if that is too much. `simulation`: estimated from
    `trials` runs with the seed, with a confidence interval for each outcome. `auto`: counted if possible, else simulated."""
    trials: Annotated[int, Field(ge=100, le=100_000), WholeNumber] = 10_000
    """The number of runs of a simulation."""

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
            summary = not_allowed("refused.many_errors", code="invalid-value", max=MAX_ERRORS)
            raise ValidationError.from_exception_data(cls.__name__, [{"type": summary, "input": None}]) from None

    def possible_rolls(self) -> Collection[str] | None:
        """The names of all rolls that this request may make. Dice for one of them that does not happen are listed in `unusedDice`.

        ``None``, as for every single action: dice for a roll that does not happen are refused.
        """
        return None

    def variants(self) -> Iterable[tuple[dict[str, Any], Body]]:
        """Requests whose odds are to be compared with this one's: what tells each apart, and the request."""
        return ()

    def named_outcomes(self) -> Sequence[str]:
        """The outcomes that the request itself names, for a simulation in which some of them never come up."""
        return ()

    @property
    def repeats(self) -> int:
        """How many times in a row the odds play the action."""
        return 1

    @property
    def once(self) -> Body:
        """The same request, for the odds of one time."""
        return self

    def following(self, changes: Iterable[Any]) -> Self | None:
        """The request of the next time, after the changes of this time; ``None`` if there is no next time."""
        return None

    @property
    def sent(self) -> dict[str, Any]:
        """The document it was read from, by wire names, without the fields that were not sent."""
        return self.model_dump(by_alias=True, exclude_unset=True)


@cache
def _failing_fast(model: type[Body]) -> type[Body]:
    """The same model, but its own lists are validated only up to the first wrong item."""
    lists = {name: field for name, field in model.model_fields.items() if get_origin(field.annotation) is list}
    fields: dict[str, Any] = {name: (Annotated[field.annotation, FailFast()], field) for name, field in lists.items()}
    return create_model(model.__name__, __base__=model, **fields)


def not_allowed(
    detail: str, *, rule: str | None = None, at: str = "", code: str = "not-allowed", near: Collection[str] | None = None, **facts: object
) -> PydanticCustomError:
    """The error a model's own validator raises: a sentence, the rule it cites, and the place within the model.

    ``detail`` is the key of a template, with its ``facts``. ``near`` are the names among which the fact ``name`` is not: the nearest
    becomes the fact ``near``.
    """
    if near is not None:
        facts["near"] = nearest(str(facts["name"]), near) or ""
    context = {"detail": detail, "rule": rule, "at": at, "code": code, "facts": facts_of(facts)}
    return PydanticCustomError("not-allowed", "{detail}", context)
