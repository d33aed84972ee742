"""Receipts: signatures over a request and its ruling. Anyone with the public key can check one, without the service.

A receipt is a compact JWS (RFC 7515) with the algorithm ``EdDSA`` (RFC 8037). Its payload holds the digests of the request and of the
ruling, the seed and who chose it, the rolls made at the table, the versions, and the time. Nothing here logs or shows a key.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from joserfc import jws
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import OKPKey

from tablecall.engine.canonical import canonical, decided, digest, question
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel

ALGORITHM, TYPE = "EdDSA", "tablecall-receipt"
# EdDSA is the name that PyJWT, authlib and jose verify by default; joserfc warns that RFC 9864 prefers the name of the curve.
warnings.filterwarnings("ignore", "EdDSA is deprecated", SecurityWarning)
CURVE = FORMER_ALGORITHM = "Ed25519"
"""The algorithm of receipts before 0.5 (RFC 9864): the same signatures, but other digests."""
UNSIGNED = frozenset({"receipt", "factors", "options", "odds"})
"""Members of a ruling that are not signed: the receipt itself, and extras that the request only asked to see."""
PARTS = frozenset({"turn", "turns", "results"})
"""The members of a ruling that hold the actions inside a conflict."""
STAMP = ("seed", "seedFrom", "rng", "rulebook", "version")
"""Members of the ruling that a receipt repeats in clear."""
CLAIMS = frozenset({"iat", "request", "ruling", *STAMP})
"""The claims of a receipt: when it was signed, the two digests, and the stamp."""
_MAX_RECEIPT = 65_536
"""Characters. A receipt names every roll made at the table, which in a long conflict are hundreds."""


class Jwk(OutputModel):
    """A public key (RFC 8037)."""

    kty: str
    """The kind of key: `OKP`."""
    crv: str
    """The curve: `Ed25519`."""
    x: str
    """The public key in base64url."""
    kid: str
    """The key's id, as in the header of the receipts it verifies."""
    alg: str
    """The algorithm: `EdDSA`."""
    use: str
    """What the key is for: `sig`."""


class JwkSet(OutputModel):
    """Public keys (RFC 7517), the current one first; empty if the service has no keys."""

    keys: list[Jwk]
    """The keys."""


class BadReceipt(Exception):
    """Not a valid receipt of a known key. ``unknown``: it names a key that is not known here."""

    def __init__(self, *, unknown: bool = False) -> None:
        super().__init__()
        self.unknown = unknown


class Receipts:
    """Signs rulings if there is a signing key, and opens receipts of the known keys.

    ``signed``: whether rulings carry a receipt.
    """

    def __init__(self, signing: OKPKey | None = None, verifying: Iterable[OKPKey] = ()) -> None:
        self._signing = signing
        self.signed = signing is not None
        self._known = {_kid(key): key for key in (*([signing] if signing else []), *verifying)}
        self._header = {"alg": ALGORITHM, "kid": _kid(signing), "typ": TYPE} if signing else {}

    @property
    def known(self) -> bool:
        """Whether there is any key, for signing or only for verifying."""
        return bool(self._known)

    def sign(self, body: Body, ruling: dict[str, Any]) -> None:
        """Add the receipt to a ruling, if there is a signing key. ``body`` is the request that the ruling answers."""
        if self._signing is None:
            return
        stamp = {name: ruling[name] for name in STAMP}
        asked, ruled = question(ruling["action"], body), signed_part(ruling, type(body))
        dice = table_rolls(ruling)
        claims = {"iat": int(time.time()), "request": digest(asked), "ruling": digest(ruled), "dice": dice, **stamp}
        ruling["receipt"] = jws.serialize_compact(self._header, canonical(claims), self._signing, algorithms=[ALGORITHM])

    def open(self, receipt: object) -> dict[str, Any]:
        """The claims of a receipt. Refuses (`BadReceipt`) anything that no known key has signed."""
        if not isinstance(receipt, str) or len(receipt) > _MAX_RECEIPT:
            raise BadReceipt
        try:
            claims = orjson.loads(jws.deserialize_compact(receipt, self._key_of, algorithms=[ALGORITHM, FORMER_ALGORITHM]).payload)
        except (JoseError, ValueError):
            raise BadReceipt from None
        if not isinstance(claims, dict) or not claims.keys() >= CLAIMS:  # the same key may sign other things elsewhere
            raise BadReceipt
        return claims

    def _key_of(self, token: Any) -> OKPKey:
        key = self._known.get(token.headers().get("kid"))
        if key is None:
            raise BadReceipt(unknown=True)
        return key

    def jwks(self) -> dict[str, Any]:
        """The public keys as a JWK Set (RFC 7517), the signing one first."""
        return {"keys": [_public(kid, key) for kid, key in self._known.items()]}


def _public(kid: str, key: OKPKey) -> dict[str, Any]:
    known = key.as_dict(private=False)
    return {"kty": known["kty"], "crv": known["crv"], "x": known["x"], "kid": kid, "alg": ALGORITHM, "use": "sig"}


def table_rolls(ruling: Mapping[str, Any]) -> list[str]:
    """The names of the rolls whose dice, or some of them, came from the table."""
    return [roll["roll"] for roll in ruling["rolls"] if roll["from"] != "seed"]


def is_former(receipt: str) -> bool:
    """Whether a receipt that could be opened was made before 0.5: its digests are not those of today."""
    return bool(jws.extract_compact(receipt.encode()).headers()["alg"] == FORMER_ALGORITHM)


def signed_part(ruling: Mapping[str, Any], model: type[Body]) -> dict[str, Any]:
    """The part of a ruling that is signed: what it decides. The actions inside a conflict have factors and options of their own.

    ``model`` is that of the request.
    """
    signed = {name: _signed(value) if name in PARTS else value for name, value in ruling.items() if name not in UNSIGNED}
    return decided(signed, model)


def _signed(part: Any) -> Any:
    if isinstance(part, list):
        return [_signed(item) for item in part]
    return {name: value for name, value in part.items() if name not in UNSIGNED} if isinstance(part, dict) else part


NO_RECEIPTS = Receipts()
"""Signs nothing and knows no key."""


def _kid(key: OKPKey) -> str:
    """The key id: the one in the JWK, or its thumbprint (RFC 7638)."""
    return key.kid or key.thumbprint()
