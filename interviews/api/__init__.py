"""The site's addresses for programs: parse, authorise, delegate."""
