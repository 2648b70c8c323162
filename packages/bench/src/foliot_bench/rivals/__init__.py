"""Other people's schedulers and queues, measured in the same run on the same database server."""
