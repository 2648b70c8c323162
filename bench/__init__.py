"""`foliot bench` on private, durable database servers, and benchmarks of single parts; `python -m bench` runs them."""
