"""What runs the service: the server, worker processes, caches, logs, metrics, traces."""
