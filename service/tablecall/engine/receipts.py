"""Receipts: signatures over what was asked and what was ruled, which anyone with the public key can check, without us.

A receipt is a compact JWS (RFC 7515) with the algorithm ``Ed25519`` (RFC 9864). Its payload holds the digests of the
question and of the ruling, the seed and who chose it, the versions, and the time. Nothing here logs or shows a key.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, cast

import orjson
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from starlette.types import ASGIApp, Receive, Scope, Send

from tablecall.engine.canonical import canonical, digest, question
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel
from tablecall.settings import Settings

ALGORITHM, TYPE = "Ed25519", "tablecall-receipt"
UNSIGNED = frozenset({"receipt", "factors", "options"})
"""What is no part of a ruling as it is signed: the receipt itself, and what was merely shown beside the ruling."""
STAMP = ("seed", "seedFrom", "rng", "rulebook", "version")
"""What of the ruling a receipt repeats in the open."""
CLAIMS = frozenset({"iat", "request", "ruling", *STAMP})
"""What a receipt says: when it was signed, the two digests, and the stamp."""
_MAX_RECEIPT = 2048
_BLOCK = re.compile(r"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.DOTALL)


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


class KeyProblem(ValueError):
    """A key in the settings is not one. The sentence names the setting and never holds the key."""


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

_DESK: ContextVar[Receipts] = ContextVar("receipts", default=NO_RECEIPTS)


def receipts() -> Receipts:
    """The desk of the service that answers the current request."""
    return _DESK.get()


def use(found: Receipts) -> None:
    """Make it the desk from here on (the command line)."""
    _DESK.set(found)


class Sealing:
    """ASGI middleware of a service that has keys: what is answered inside leaves by its desk."""

    def __init__(self, app: ASGIApp, receipts: Receipts) -> None:
        self.app = app
        self.receipts = receipts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything through."""
        token = _DESK.set(self.receipts)
        try:
            await self.app(scope, receive, send)
        finally:
            _DESK.reset(token)


# ── Keys from the settings ───────────────────────────────────────────────────────────────────────────────────────────


def receipts_of(settings: Settings) -> Receipts:
    """The desk these settings ask for. Refuses (`KeyProblem`) what is not an Ed25519 key."""
    secret = settings.signing_key.get_secret_value() if settings.signing_key else None
    mine = _keys("SIGNING_KEY", secret, settings.signing_key_file)
    if len(mine) > 1 or any(not key.is_private for key in mine):
        raise KeyProblem("TABLECALL_SIGNING_KEY is one private key")
    return Receipts(mine[0] if mine else None, _keys("VERIFYING_KEYS", settings.verifying_keys, settings.verifying_keys_file))


def _keys(name: str, text: str | None, file: Path | None) -> list[OKPKey]:
    """The keys of one setting, given as text or in a file: a JWK, a JWK Set, or PEM."""
    if text and file:
        raise KeyProblem(f"TABLECALL_{name} and TABLECALL_{name}_FILE are set both: one will do")
    try:
        found = file.read_text() if file else text
    except (OSError, UnicodeDecodeError):
        raise KeyProblem(f"TABLECALL_{name}_FILE cannot be read") from None
    try:
        return [_key(part) for part in _parts((found or "").strip())]
    except (JoseError, ValueError, TypeError, KeyError):
        raise KeyProblem(f"TABLECALL_{name} is not an Ed25519 key as a JWK, a JWK Set, or unencrypted PEM") from None


def _parts(text: str) -> list[Any]:
    """The keys of a text, each as it is written. PEM in an environment variable may have its line ends written ``\\n``."""
    if text.startswith("{"):
        document = orjson.loads(text)
        return cast("list[Any]", document["keys"]) if "keys" in document else [document]
    blocks = [match[0] for match in _BLOCK.finditer(text.replace("\\n", "\n"))]
    if text and not blocks:
        raise ValueError("no key")
    return cast("list[Any]", blocks)


def _key(written: Any) -> OKPKey:
    key = OKPKey.import_key(written)
    if key.curve_name != ALGORITHM:
        raise ValueError(key.curve_name)
    return key


def _kid(key: OKPKey) -> str:
    """The name a JWK has already, or its thumbprint (RFC 7638)."""
    return key.kid or key.thumbprint()
