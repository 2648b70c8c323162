"""What every statement stands on: connections, transactions, dialects, the schema and its migrations.

Writes `store_meta`: the epoch, on the first use of a connection to another database.

Locks no rows of its own: a new epoch is a guarded update in a transaction of its own. Migrations hold a lock of the
whole schema, so that two servers do not migrate at once.
"""
