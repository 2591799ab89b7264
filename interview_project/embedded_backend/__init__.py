"""A Django database backend: PostgreSQL that starts itself where no DATABASE_URL is given."""
