"""Why a question was asked, from the record of its turn."""
