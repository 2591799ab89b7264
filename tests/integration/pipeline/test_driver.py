"""What the database driver was taught."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from django.db import connection

from graphs.driver import Flat

pytestmark = pytest.mark.django_db
VECTORS = [row.astype(np.float32) for row in np.random.default_rng(5).standard_normal((3, 4))]


@pytest.mark.parametrize("kind", [psycopg.Cursor, psycopg.ClientCursor])
def test_the_numbers_arrive_exactly_however_parameters_are_bound(
    kind: type[psycopg.Cursor],
) -> None:
    with connection.cursor():  # connects
        pass
    with kind(connection.connection) as cursor:
        cursor.execute("SELECT %(sent)s, %(empty)s", {"sent": Flat(VECTORS), "empty": Flat([])})
        row = cursor.fetchone()
    assert row is not None
    sent, empty = row
    assert np.asarray(sent, dtype=np.float32).tolist() == np.concatenate(VECTORS).tolist()
    assert empty == []
