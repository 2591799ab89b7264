"""The socket of a watched interview: it says that something changed, and the page reads it."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import Http404

from analytics.access import session_for
from analytics.rights import Right
from interviews import events
from interviews.chat.listening import Listener


class WatchConsumer(AsyncWebsocketConsumer):
    """Opens for whoever may read the interview; nothing that is sent to it is heard."""

    channel_layer_alias = None

    async def connect(self) -> None:
        """Check as the page does; a refused handshake tells nothing."""
        events.bind_server_loop()
        self._tasks: list[asyncio.Task[None]] = []
        session_id: UUID = self.scope["url_route"]["kwargs"]["pk"]
        user = self.scope.get("user")
        if not await database_sync_to_async(_may_watch)(user, session_id):
            await self.close()
            return
        await self.accept()
        self._bell = asyncio.Event()
        listener = Listener(session_id, self._bell.set)
        self._tasks = [
            asyncio.create_task(listener.run(), name="watch-listener"),
            asyncio.create_task(self._tell(), name="watch-teller"),
        ]

    async def _tell(self) -> None:
        while True:
            await self._bell.wait()
            self._bell.clear()
            await self.send(text_data='{"type": "changed"}')

    async def disconnect(self, code: int) -> None:
        """Leave nothing behind."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)


def _may_watch(user: Any, session_id: UUID) -> bool:
    try:
        session_for(user, session_id, Right.READ)
    except Http404:
        return False
    return True
