"""Verifies a receipt with PyJWT, Authlib and joserfc. Reads {"jwks", "receipt"}, and prints the claims that each of them found."""

import json
import sys
import warnings

import jwt
from authlib.jose import JsonWebKey
from authlib.jose import jwt as authlib
from joserfc import jws
from joserfc.jwk import KeySet

warnings.simplefilter("ignore")
given = json.load(sys.stdin)
jwks, receipt = given["jwks"], given["receipt"]

key = jwt.PyJWKSet.from_dict(jwks)[jwt.get_unverified_header(receipt)["kid"]]
claims = {
    "pyjwt": jwt.decode(receipt, key, algorithms=["EdDSA"]),
    "authlib": dict(authlib.decode(receipt, JsonWebKey.import_key_set(jwks))),
    "joserfc": json.loads(jws.deserialize_compact(receipt, KeySet.import_key_set(jwks), algorithms=["EdDSA"]).payload),
}
print(json.dumps(claims))
