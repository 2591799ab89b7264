"""Hears a session's events, and goes on when the channel layer does not.

The consumer does not let Channels listen for it: a broker that goes away would then end the socket
with it, although answers can still be accepted. Here it only makes the socket deaf for a while,
and a deaf socket asks the database every few seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final
from uuid import UUID

from channels.layers import get_channel_layer

from interviews import events

logger = logging.getLogger(__name__)

FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 8.0


class Listener:
    """Calls `heard` for each event of a session; `deaf` while it cannot listen."""

    def __init__(self, session_id: UUID, heard: Callable[[], None]) -> None:
        self._group = events.group_of(session_id)
        self._heard = heard
        self.deaf = True

    async def run(self) -> None:
        """Listen until cancelled."""
        wait = FIRST_WAIT
        while True:
            try:
                await self._listen()
            except Exception as error:  # whatever the layer raises: try again, and say it once
                if not self.deaf or wait == FIRST_WAIT:
                    logger.warning(
                        "socket_deaf group=%s error=%s", self._group, type(error).__name__
                    )
                wait = FIRST_WAIT if not self.deaf else min(wait * 2, LONGEST_WAIT)
                self.deaf = True
                self._heard()
                await asyncio.sleep(wait)

    async def _listen(self) -> None:
        layer = get_channel_layer()
        if layer is None:
            raise RuntimeError("no channel layer is configured")
        channel = await layer.new_channel()
        await layer.group_add(self._group, channel)
        try:
            self.deaf = False
            self._heard()  # something may have happened before we listened
            while True:
                await layer.receive(channel)  # it only says that there is something to read
                self._heard()
        finally:
            with contextlib.suppress(Exception):
                await layer.group_discard(self._group, channel)
