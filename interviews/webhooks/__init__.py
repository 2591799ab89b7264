"""Webhooks: other programs are told of what happened, signed, and again until they answer."""
