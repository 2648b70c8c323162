"""The store on a SQL database: the doors (`job_store`, `firing_store`, `run_store`, `node_store`) and what is behind.

A door has the verbs of its port, each in one transaction; a folder per subject has the statements and what they mean.
Every folder says which tables it writes and which rows it locks, with those of its door. One order of locks holds
everywhere (R3): `store_meta`, `cursors`, parent runs, `runs`, `nodes`, `limits`; by primary key inside each. A
transaction that cannot keep to it passes over rows that are locked (SKIP LOCKED) instead of waiting for them.
"""
