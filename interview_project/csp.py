"""One content security policy for the site's pages, a looser one under the admin's address."""

from __future__ import annotations

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ADMIN_PREFIX = "/admin/"

SITE_POLICY: dict[str, object] = {
    "default-src": [SELF],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "connect-src": [SELF],
    "object-src": [NONE],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}

# The admin's theme brings Alpine (which compiles the expressions in attributes: eval), style
# elements and attributes, and the YAML editor starts its worker from a blob. Inline scripts stay
# forbidden. See docs/adr/0004-csp-scope-in-the-admin.md.
ADMIN_POLICY: dict[str, object] = {
    **SITE_POLICY,
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
    "worker-src": [SELF, "blob:"],
}


class ScopedCSPMiddleware(CSPMiddleware):
    """Sends `ADMIN_POLICY` under the admin's address and the configured policy everywhere else."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Choose by the path of the request; a view's own decorators still win."""
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith(ADMIN_PREFIX) and not report_only and parts.config is None:
            parts.config = dict(ADMIN_POLICY)
        return parts
