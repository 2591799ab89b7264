"""The site's addresses for programs, below /api/: parse, authorise, delegate."""
