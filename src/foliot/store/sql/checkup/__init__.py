"""What a checkup reads: the database's own figures, runs that wait, how the latest runs ended.

Writes nothing.

Locks nothing.
"""
