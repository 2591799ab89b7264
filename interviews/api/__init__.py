"""What all of the site's addresses for programs share; the addresses are in `analytics/api`."""
