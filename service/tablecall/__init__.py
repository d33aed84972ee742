"""Tablecall: a rules service for tabletop role-playing games. Ask what a character attempts, get the ruling."""
