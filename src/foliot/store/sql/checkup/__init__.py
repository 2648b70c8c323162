"""What a checkup reads: the database's own figures, runs that wait, how the latest runs ended; and the last grades.

Writes `checkups`.

Locks the one row of `checkups`, and after it writes the journal.
"""
