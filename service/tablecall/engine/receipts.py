"""Receipts: signatures over what was asked and what was ruled, which anyone with the public key can check, without us.

A receipt is a compact JWS (RFC 7515) with the algorithm ``Ed25519`` (RFC 9864). Its payload holds the digests of the
question and of the ruling, the seed and who chose it, the versions, and the time. Nothing here logs or shows a key.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from tablecall.engine.canonical import canonical, digest, question
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel

ALGORITHM, TYPE = "Ed25519", "tablecall-receipt"
UNSIGNED = frozenset({"receipt", "factors", "options"})
"""What is no part of a ruling as it is signed: the receipt itself, and what was merely shown beside the ruling."""
STAMP = ("seed", "seedFrom", "rng", "rulebook", "version")
"""What of the ruling a receipt repeats in the open."""
CLAIMS = frozenset({"iat", "request", "ruling", *STAMP})
"""What a receipt says: when it was signed, the two digests, and the stamp."""
_MAX_RECEIPT = 2048


class Jwk(OutputModel):
    """A public key (RFC 8037)."""

    kty: str
    """The kind of key: `OKP`."""
    crv: str
    """The curve: `Ed25519`."""
    x: str
    """The key itself, in base64url."""
    kid: str
    """Its name, as the receipts it checks have it."""
    alg: str
    """What it is for: `Ed25519`."""
    use: str
    """The same: `sig`."""


class JwkSet(OutputModel):
    """Public keys (RFC 7517), the current one first; empty where nothing is signed."""

    keys: list[Jwk]
    """Each of them."""


class BadReceipt(Exception):
    """Not a signature by any key known here; ``unknown`` says that it names another key."""

    def __init__(self, *, unknown: bool = False) -> None:
        super().__init__()
        self.unknown = unknown


class Receipts:
    """The desk rulings leave by: it signs them where there is a key, and knows the public keys receipts are checked with."""

    def __init__(self, signing: OKPKey | None = None, verifying: Iterable[OKPKey] = ()) -> None:
        self._signing = signing
        self._known = {_kid(key): key for key in (*([signing] if signing else []), *verifying)}
        self._header = {"alg": ALGORITHM, "kid": _kid(signing), "typ": TYPE} if signing else {}

    @property
    def signed(self) -> bool:
        """Whether rulings carry a receipt."""
        return self._signing is not None

    @property
    def known(self) -> bool:
        """Whether there is any key, if only to check with."""
        return bool(self._known)

    def seal(self, body: Body, ruling: dict[str, Any]) -> None:
        """Give a ruling its receipt, where there is a key; ``body`` is the request it answers."""
        if self._signing is None:
            return
        stamp = {name: ruling[name] for name in STAMP}
        asked, ruled = question(ruling["action"], body), signed_part(ruling)
        claims = {"iat": int(time.time()), "request": digest(asked), "ruling": digest(ruled), **stamp}
        ruling["receipt"] = jws.serialize_compact(self._header, canonical(claims), self._signing, algorithms=[ALGORITHM])

    def open(self, receipt: object) -> dict[str, Any]:
        """What a receipt says. Refuses (`BadReceipt`) what no key known here has signed."""
        if not isinstance(receipt, str) or len(receipt) > _MAX_RECEIPT:
            raise BadReceipt
        try:
            found = orjson.loads(jws.deserialize_compact(receipt, self._key_of, algorithms=[ALGORITHM]).payload)
        except (JoseError, ValueError):
            raise BadReceipt from None
        if not isinstance(found, dict) or not found.keys() >= CLAIMS:  # the same key may sign other things elsewhere
            raise BadReceipt
        return found

    def _key_of(self, seen: Any) -> OKPKey:
        found = self._known.get(seen.headers().get("kid"))
        if found is None:
            raise BadReceipt(unknown=True)
        return found

    def jwks(self) -> dict[str, Any]:
        """The public keys as a JWK Set (RFC 7517), the signing one first."""
        return {"keys": [_public(kid, key) for kid, key in self._known.items()]}


def _public(kid: str, key: OKPKey) -> dict[str, Any]:
    known = key.as_dict(private=False)
    return {"kty": known["kty"], "crv": known["crv"], "x": known["x"], "kid": kid, "alg": ALGORITHM, "use": "sig"}


def signed_part(ruling: Mapping[str, Any]) -> dict[str, Any]:
    """A ruling as it is signed."""
    return {name: value for name, value in ruling.items() if name not in UNSIGNED}


NO_RECEIPTS = Receipts()
"""Signs nothing and knows no key."""


def _kid(key: OKPKey) -> str:
    """The name a JWK has already, or its thumbprint (RFC 7638)."""
    return key.kid or key.thumbprint()
