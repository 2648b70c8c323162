"""A program outside of jobs that holds a lock, and a table that refuses what an old holder of the lock writes.

With `foliot up jobs.py` running in this folder:  python fenced_table.py 42 5

A lock alone protects nothing: a process may stand still, lose its lock, and wake up in the middle of a write. So each
grant has a token that only rises. The table keeps the token of its last write and refuses a lower one.
"""

import sqlite3
import sys
from contextlib import closing

from foliot import FoliotError, locks

DATABASE = "accounts.db"


class OldToken(Exception):
    """Another has written since: whoever has this token does not hold the lock any more."""


def opened(file: str = DATABASE) -> sqlite3.Connection:
    """The table, made when there is none."""
    database = sqlite3.connect(file, timeout=30, isolation_level=None)
    database.execute("CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER, token INTEGER)")
    return database


def balance_of(database: sqlite3.Connection, account: int) -> int:
    """What is in an account."""
    found = database.execute("SELECT balance FROM accounts WHERE id = ?", (account,)).fetchone()
    return int(found[0]) if found else 0


def write_balance(database: sqlite3.Connection, account: int, balance: int, *, token: int) -> None:
    """Write, unless somebody wrote under a higher token. The condition stands in the statement that writes."""
    written = database.execute(
        """
        INSERT INTO accounts (id, balance, token) VALUES (:account, :balance, :token)
        ON CONFLICT (id) DO UPDATE SET balance = excluded.balance, token = excluded.token
        WHERE accounts.token <= excluded.token
        """,
        {"account": account, "balance": balance, "token": token},
    )
    if written.rowcount == 0:
        raise OldToken(f"token {token} is old: nothing was written to account {account}")


def deposit(database: sqlite3.Connection, account: int, amount: int) -> int:
    """Read and write under the lock: two programs that do this at once lose nothing. Returns the lock's token."""
    with locks.lock(f"acct:{account}", ttl="10s", wait="1m") as lock:
        balance = balance_of(database, account) + amount
        if lock.lost:
            raise OldToken("the lock is lost: another may write by now")
        write_balance(database, account, balance, token=lock.token)
        return lock.token


def main(words: list[str]) -> int:
    """Put one into an account, some times."""
    account, times = int(words[0]) if words else 42, int(words[1]) if words[1:] else 5
    with closing(opened()) as database:
        try:
            tokens = [deposit(database, account, 1) for _ in range(times)]
            print(f"account {account}: {balance_of(database, account)}, last token {tokens[-1]}")
            write_balance(database, account, 0, token=tokens[-1] - 1)  # as one who woke up too late
        except OldToken as refusal:
            print(refusal)
        except FoliotError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
