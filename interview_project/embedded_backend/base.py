"""Django's PostgreSQL backend, with a server behind it at the first connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import psycopg
from django.db import connections
from django.db.backends.postgresql import base

from interview_project.embedded import APPLICATION_NAME, EmbeddedServer, server_for
from interview_project.errors import ConfigurationError

NO_PGVECTOR = (
    "The PostgreSQL server of DATABASE_URL has no pgvector.\n"
    "Install the extension on that server (Debian: postgresql-NN-pgvector), "
    "or unset DATABASE_URL to use the embedded PostgreSQL, which has it."
)


class DatabaseWrapper(base.DatabaseWrapper):
    """Finds or starts the embedded server, or checks once that the given one has pgvector.

    The settings key EMBEDDED_DATA_DIR holds the data folder, or None for a server of one's own.
    """

    _connection_pools: ClassVar[dict[str, Any]]  # Django's, shared by all wrappers of the process
    _seen_vector: ClassVar[set[tuple[str, str]]] = set()

    @property
    def embedded(self) -> EmbeddedServer | None:
        """The embedded server behind this connection, if any."""
        folder = self.settings_dict.get("EMBEDDED_DATA_DIR")
        return server_for(Path(folder)) if folder else None

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters; for the embedded server with the folder of its socket as host.

        Raises ConfigurationError when the embedded server cannot be used.
        """
        parameters: dict[str, Any] = super().get_connection_params()
        parameters.setdefault("application_name", APPLICATION_NAME)
        server = self.embedded
        if server is not None:
            parameters["host"] = str(server.ensure())
            server.before_stop(close_pools)
        return parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect.

        Raises ConfigurationError when the server has no pgvector to offer.
        """
        connection = super().get_new_connection(conn_params)
        if self.embedded is None:
            self._require_vector(connection, conn_params)
        return connection

    def _require_vector(self, connection: psycopg.Connection[Any], params: dict[str, Any]) -> None:
        key = (str(params.get("host")), str(params.get("port")))
        if key in self._seen_vector:
            return
        before = connection.autocommit
        connection.autocommit = True
        found = connection.execute(
            "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
        connection.autocommit = before
        if found is None:
            self.close_pool() if self.pool else connection.close()
            raise ConfigurationError(NO_PGVECTOR)
        self._seen_vector.add(key)


def close_pools() -> None:
    """Close every connection pool of this process, and the calling thread's connections."""
    connections.close_all()
    for pool in list(DatabaseWrapper._connection_pools.values()):
        pool.close()
    DatabaseWrapper._connection_pools.clear()
