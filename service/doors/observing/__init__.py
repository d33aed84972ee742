"""The service seen from outside: what one request did, as a log line, as metrics, as a trace."""
