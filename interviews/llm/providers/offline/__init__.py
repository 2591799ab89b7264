"""The offline provider: deterministic rules instead of a model, without any network."""

from interviews.llm.providers.offline.provider import OfflineProvider, load_rules

__all__ = ["OfflineProvider", "load_rules"]
