"""
Files each received fax in a record: one row and its PDF in a database, once, whatever ends the program and when.

    TOKEN=... PBX=http://127.0.0.1:8080 DATABASE=records.sqlite PYTHONPATH=scripts/sdk/python python3 scripts/examples/fax_inbox.py

The row, the document and the cursor of the inbox are written in one transaction. If the program is killed before it commits, the fax comes
again; if after, the cursor is behind it. The id of the fax is the key of the row, so that a fax which comes again cannot be filed twice.
"""
import os
import sqlite3
import time

from pbxd import Box, BoxError

PAUSE_SECONDS = float(os.environ.get("PAUSE", "10"))

TABLES = """
CREATE TABLE IF NOT EXISTS faxes (
  id TEXT PRIMARY KEY, sender TEXT NOT NULL, recipient TEXT NOT NULL, received_at TEXT NOT NULL, pages INTEGER NOT NULL,
  complete INTEGER NOT NULL, patient TEXT, pdf BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS patients (fax_number TEXT PRIMARY KEY, patient TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursor (one INTEGER PRIMARY KEY CHECK (one = 1), since INTEGER NOT NULL);
INSERT OR IGNORE INTO cursor VALUES (1, 0);
"""


def opened(path: str) -> sqlite3.Connection:
    """A database whose commits survive a power cut."""
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;" + TABLES)
    return database


def patient_of(database: sqlite3.Connection, number: str) -> str | None:
    """Whose record a fax belongs to: the practice that sends from this number. A person files the others."""
    row = database.execute("SELECT patient FROM patients WHERE fax_number = ?", (number,)).fetchone()
    return row[0] if row else None


def file_fax(box: Box, database: sqlite3.Connection, fax) -> None:
    """Writes one fax into the transaction that is open."""
    pdf = box.get_received_fax(fax["id"])
    database.execute(
        "INSERT OR IGNORE INTO faxes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (fax["id"], fax["from"], fax["to"], fax["receivedAt"], fax["pages"], fax["complete"], patient_of(database, fax["from"]), pdf),
    )


def step(box: Box, database: sqlite3.Connection) -> int:
    """Files what has come since the cursor; the number of faxes. The cursor moves in the transaction of its faxes."""
    (since,) = database.execute("SELECT since FROM cursor").fetchone()
    page = box.list_received_faxes(since=since, limit=20)
    database.execute("BEGIN IMMEDIATE")
    try:
        for fax in page["items"]:
            file_fax(box, database, fax)
        database.execute("UPDATE cursor SET since = ?", (page["nextSince"],))
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise
    return len(page["items"])


def main() -> None:
    box = Box(os.environ.get("PBX", "http://127.0.0.1:8080"), os.environ["TOKEN"])
    database = opened(os.environ.get("DATABASE", "records.sqlite"))
    while True:
        try:
            filed = step(box, database)
        except BoxError as error:
            # A box that restarts, or a token that was changed: the faxes wait in the inbox.
            print(f"not now: {error}", flush=True)
            filed = 0
        if filed > 0:
            print(f"filed {filed}", flush=True)
        else:
            time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
