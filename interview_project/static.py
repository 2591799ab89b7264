"""Static files under ASGI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import cached_property
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, handing out whole bodies, and holding no thread for requests that wait.

    WhiteNoise streams with a synchronous iterator, which under ASGI Django reads whole anyway and
    warns about at every request. As a synchronous middleware it would also keep a thread busy for
    as long as a request takes that only waits.
    """

    sync_capable = async_capable = True

    def __init__(self, get_response: Any) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        """Answer with a file, or have the request answered."""
        if iscoroutinefunction(self):
            return self._answered(request)
        return super().__call__(request)

    async def _answered(self, request: HttpRequest) -> HttpResponseBase:
        found = (
            await sync_to_async(self._found)(request) if self.autorefresh else self._known(request)
        )
        if found is not None:
            return await sync_to_async(self.serve)(found, request)
        answer: HttpResponseBase = await self.get_response(request)
        return answer

    def _known(self, request: HttpRequest) -> StaticFile | None:
        known: StaticFile | None = self.files.get(request.path_info)
        return known

    def _found(self, request: HttpRequest) -> StaticFile | None:
        found: StaticFile | None = self.find_file(request.path_info)
        return found

    def add_files(self, root: str, prefix: str | None = None) -> None:
        """Serve what lies in a folder; before `make setup` there is none of collected files."""
        if Path(root).is_dir():
            super().add_files(root, prefix)

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        """Answer with one of the files found when the process started."""
        found = static_file.get_response(request.method, request.META)
        body = b""
        if found.file is not None:
            with found.file:
                body = found.file.read()
        response = HttpResponse(body, status=int(found.status))
        for name, value in found.headers:
            response[name] = value
        return response


OWN = ("css/", "img/", "js/", "vendor/cytoscape/")


class Files(CompressedManifestStaticFilesStorage):
    """Files under names that carry a hash of what is in them, with a compressed copy beside each.

    `collectstatic`, in `make setup`, makes them in STATIC_ROOT; scripts that import one another
    name the hashed files, too. Until then, and for a file that is newer than they are, the files
    are served from where they are, under their plain names.
    """

    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Hash and compress the project's own files; packages bring theirs with versions."""
        own = {name: found for name, found in paths.items() if name.startswith(OWN)}
        yield from super().post_process(own, *args, **kwargs)

    def stored_name(self, name: str) -> str:
        """Return the name under which a file is served."""
        collected: str | None = self.hashed_files.get(self.hash_key(self.clean_name(name)))
        return collected if collected and self._is_current else name

    @cached_property
    def _is_current(self) -> bool:
        collected = self.path(self.manifest_name)
        made = Path(collected).stat().st_mtime
        own = settings.BASE_DIR / "static"
        return all(file.stat().st_mtime <= made for file in own.rglob("*.*"))
