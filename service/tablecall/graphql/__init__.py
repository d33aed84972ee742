"""The GraphQL door: the same words, the same input, the same answers as REST."""
