"""Measurements that `manage.py bench` reports; seconds are reported, never asserted."""
