"""Django's settings. What a machine may choose comes from `env.py`; the rest is decided here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.urls import reverse_lazy

from interview_project import console
from interview_project.csp import SITE_POLICY
from interview_project.env import (
    BASE_DIR,
    BUNDLED_MODEL,
    ROLES,
    broker_url,
    database_settings,
    mail_settings,
    read_environment,
)
from interview_project.logs import configure_logs
from interview_project.secret import personal_data_keys, secret_key
from interviews.wording.languages import language_choices

ENVIRONMENT = read_environment()
DATA_DIR = ENVIRONMENT.data_dir
PORT = ENVIRONMENT.port
HTTPS = ENVIRONMENT.https
PUBLIC_URL = (ENVIRONMENT.public_url or f"http://127.0.0.1:{PORT}").rstrip("/")
REDIS_URL = ENVIRONMENT.redis_url.get_secret_value() if ENVIRONMENT.redis_url else ""

# --- Django -------------------------------------------------------------------------------------
SECRET_KEY = secret_key(ENVIRONMENT)
PERSONAL_DATA_KEYS = personal_data_keys(ENVIRONMENT)
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.csrf_trusted_origins)
ROOT_URLCONF = "interview_project.urls"
ASGI_APPLICATION = "interview_project.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "daphne",
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "console.apps.ConsoleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "channels",
    "csp",
    "django_ace",
    "axes",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "interview_project",
    "graphs",
    "methodologies",
    "interviews",
    "analytics",
    "console.apps.ConsoleConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "interview_project.csp.ScopedCSPMiddleware",
    "interview_project.static.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database -----------------------------------------------------------------------------------
PREPARE_FROM = 5  # uses of a statement on a connection; the default of psycopg
_database: dict[str, Any] = (
    {**database_settings(ENVIRONMENT.database_url.get_secret_value()), "EMBEDDED_DATA_DIR": None}
    if ENVIRONMENT.database_url
    else {"NAME": "postgres", "USER": "postgres", "OPTIONS": {}, "EMBEDDED_DATA_DIR": DATA_DIR}
)
if ENVIRONMENT.db_prepare:
    # A turn's statements are the same every time: planned anew they take half as long again.
    _database["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": PREPARE_FROM}
if ENVIRONMENT.db_pool_size:
    # A pool and CONN_MAX_AGE 0: under ASGI every request may run on another thread.
    _database["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": ENVIRONMENT.db_pool_size,
        "timeout": 10,
    }
DATABASES = {
    "default": {
        "ENGINE": "interview_project.embedded_backend",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        **_database,
    }
}

# --- Language and time --------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = language_choices()
LOCALE_PATHS = [BASE_DIR / "locale"]

# --- Files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / ".static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "interview_project.static.Files"},
}
# Browser libraries come from npm and are served as they are: no bundler.
VENDOR_PACKAGES = ("cytoscape", "cytoscape-dagre", "echarts")
STATICFILES_DIRS: list[Any] = [
    *([BASE_DIR / "static"] if (BASE_DIR / "static").is_dir() else []),
    *(
        (f"vendor/{name}", BASE_DIR / "node_modules" / name / "dist")
        for name in VENDOR_PACKAGES
        if (BASE_DIR / "node_modules" / name / "dist").is_dir()
    ),
]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_ROOT = DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# --- Security -----------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = reverse_lazy("admin:login")
LOGIN_REDIRECT_URL = "/dashboard/"
LOGOUT_REDIRECT_URL = reverse_lazy("admin:login")

AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False  # locks end by themselves

CONTENT_SECURITY_POLICY = {"DIRECTIVES": SITE_POLICY}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True

# --- Mail ---------------------------------------------------------------------------------------
# Without EMAIL_URL a mail is written to the terminal: for trying things out.
MAIL_CONFIGURED = ENVIRONMENT.email_url is not None
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_CONFIGURED else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = ENVIRONMENT.email_from
if ENVIRONMENT.email_url is not None:
    globals().update(mail_settings(ENVIRONMENT.email_url.get_secret_value()))

# --- Sockets and jobs ---------------------------------------------------------------------------
WEBSOCKET_MAX_MESSAGE_SIZE = 16_384
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {
            # Listening blocks for five seconds at a time, the client's own default timeout: with
            # it, every quiet socket would take Redis for gone.
            "hosts": [{"address": REDIS_URL, "socket_connect_timeout": 2, "socket_timeout": 15}],
            "capacity": 100,
            "expiry": 30,
        },
    }
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}

CELERY_BROKER_URL = broker_url(REDIS_URL) if REDIS_URL else "memory://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {
        # Redelivery is not how a turn is recovered (its lease is); these only keep it prompt.
        "visibility_timeout": 300,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        # An answer is accepted whether or not the broker can be reached: give up soon, also where
        # it takes the connection and then says nothing (by default that would be waited for).
        "socket_connect_timeout": 2,
        "socket_timeout": 2,
        "max_retries": 1,
        "interval_start": 0,
    }
    if REDIS_URL
    else {}
)
CELERY_VISIBILITY_TIMEOUT = 300
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A Redis that refuses a write (its memory or disk is full) must not end the worker either.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_TASK_PUBLISH_RETRY = False
# A message is acknowledged when its turn begins. Acknowledged at the end, as its connection may be
# gone by then, it would end the worker for good; the turn's lease is what brings it back.
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"
# As many messages as there are free places are taken: the others stay for other processes.
CELERY_WORKER_DISABLE_PREFETCH = bool(REDIS_URL)
TURNS_AT_ONCE = ENVIRONMENT.turns_at_once
SWEEP_SECONDS = 5.0

# --- Interviews ---------------------------------------------------------------------------------
LLM_ROLES: dict[str, dict[str, str | None]] = {
    role: {
        "provider": ENVIRONMENT.llm_provider(role),
        "model": getattr(ENVIRONMENT, f"llm_{role}_model"),
        "fallback": getattr(ENVIRONMENT, f"llm_{role}_fallback"),
    }
    for role in ROLES
}
# Empty for the bundled model, which needs no folder to be found in.
EMBEDDING_MODEL = (
    "" if ENVIRONMENT.embedding_model == BUNDLED_MODEL else ENVIRONMENT.embedding_model
)
SPACY_MODEL = ENVIRONMENT.spacy_model
ENABLE_SRL = ENVIRONMENT.enable_srl
ENABLE_CANONICAL_SLOTS = ENVIRONMENT.enable_canonical_slots
ENABLE_QUESTION_SELF_SELECTION = ENVIRONMENT.enable_question_self_selection
FAILPOINT = ENVIRONMENT.failpoint
WEBHOOKS_TO_LOOPBACK = ENVIRONMENT.webhooks_to_loopback

# --- Programs -----------------------------------------------------------------------------------
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Who asked how often, in this process.
    "throttles": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "throttles",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}
REST_FRAMEWORK: dict[str, Any] = {
    "EXCEPTION_HANDLER": "interviews.api.problems.problem_response",
    "DEFAULT_SCHEMA_CLASS": "analytics.api.openapi.PagedSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["interviews.api.parsing.BoundedJSONParser"],
    "DEFAULT_THROTTLE_RATES": {"read": "600/min", "collect": "300/min", "manage": "120/min"},
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Adaptive interviews",
    "DESCRIPTION": "Hold interviews, read what was understood of them, and be told when one ends.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "SessionStatus": "interviews.models.session.Session.Status",
        "StudyStatus": "interviews.models.study.Study.Status",
        "StudyStatusChange": ["live", "paused", "closed", "archived"],
        "SlotStatus": "graphs.models.CanonicalSlot.Status",
        "DeliveryStatus": "interviews.models.webhook.Delivery.Status",
        "WebhookEvent": "interviews.models.webhook.Webhook.Event",
        "TurnStatus": ["queued", "running", "done", "failed"],
    },
    "SCHEMA_PATH_PREFIX": "/api",
    "PREPROCESSING_HOOKS": ["analytics.api.openapi.named_once"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "analytics.api.openapi.with_problems",
    ],
    "AUTHENTICATION_WHITELIST": [],
    "APPEND_COMPONENTS": {
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
    },
    "SECURITY": [{"bearer": []}],
}

# --- Look of the console ------------------------------------------------------------------------
UNFOLD = console.UNFOLD

# --- Logs ---------------------------------------------------------------------------------------
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = configure_logs(ENVIRONMENT.log_level, ENVIRONMENT.log_format)
