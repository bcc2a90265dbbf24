"""The servers that these tests speak to, and their databases as Python's own sqlite3 sees them.

`tests/it/sdk.rs` starts the servers and says in the environment where they are. Nothing here knows a client library.
"""

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

BINARY = os.environ["TOOLBOX_BINARY"]
STDIO_FOLDER = Path(os.environ["TOOLBOX_STDIO_FOLDER"])

# Two customers whose ids are equal when read as doubles.
MISAKI = 7960607143101464576
ELENI = 7960607143101464577


@dataclass(frozen=True)
class Served:
    """The example, served over HTTP."""

    url: str
    database: Path

    def rows(self, sql, *arguments):
        """The rows of a query as dictionaries."""
        return rows(self.database, sql, *arguments)


JSON = Served(os.environ["TOOLBOX_JSON_URL"], Path(os.environ["TOOLBOX_JSON_DATABASE"]))
GCF = Served(os.environ["TOOLBOX_GCF_URL"], Path(os.environ["TOOLBOX_GCF_DATABASE"]))


def rows(database, sql, *arguments):
    """The rows of a query on a database file as dictionaries."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, arguments)]
    finally:
        connection.close()
