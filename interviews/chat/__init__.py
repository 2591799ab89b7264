"""The respondent's face: pages behind a link, and the socket that keeps them in step."""
