"""Reads the keys that sign and verify receipts from the settings. Nothing here logs or shows a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import orjson
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from tablecall.engine.receipts import CURVE, Receipts
from tablecall.settings import Settings

_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.DOTALL)


class KeyProblem(ValueError):
    """A setting does not hold a usable key. The message names the setting and never holds the key."""


def receipts_of(settings: Settings) -> Receipts:
    """The keys that these settings name. Refuses (`KeyProblem`) anything but Ed25519 keys."""
    secret = settings.signing_key.get_secret_value() if settings.signing_key else None
    mine = _keys("SIGNING_KEY", secret, settings.signing_key_file)
    if len(mine) > 1 or any(not key.is_private for key in mine):
        raise KeyProblem("TABLECALL_SIGNING_KEY is one private key")
    return Receipts(mine[0] if mine else None, _keys("VERIFYING_KEYS", settings.verifying_keys, settings.verifying_keys_file))


def _keys(name: str, text: str | None, file: Path | None) -> list[OKPKey]:
    """The keys of one setting, given as text or in a file: a JWK, a JWK Set, or PEM."""
    if text and file:
        raise KeyProblem(f"TABLECALL_{name} and TABLECALL_{name}_FILE are both set: set only one")
    try:
        text = file.read_text() if file else text
    except (OSError, UnicodeDecodeError):
        raise KeyProblem(f"TABLECALL_{name}_FILE cannot be read") from None
    try:
        return [_key(part) for part in _parts((text or "").strip())]
    except (JoseError, ValueError, TypeError, KeyError):
        raise KeyProblem(f"TABLECALL_{name} is not an Ed25519 key as a JWK, a JWK Set, or unencrypted PEM") from None


def _parts(text: str) -> list[Any]:
    """The keys in a text, each as written. PEM in an environment variable may have its line ends written as ``\\n``."""
    if text.startswith("{"):
        document = orjson.loads(text)
        return cast("list[Any]", document["keys"]) if "keys" in document else [document]
    blocks = [match[0] for match in _PEM.finditer(text.replace("\\n", "\n"))]
    if text and not blocks:
        raise ValueError("no key")
    return cast("list[Any]", blocks)


def _key(written: Any) -> OKPKey:
    key = OKPKey.import_key(written)
    if key.curve_name != CURVE:
        raise ValueError(key.curve_name)
    return key
