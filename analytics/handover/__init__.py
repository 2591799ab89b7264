"""Pages of handover studies: files, backlog, questions of the successor."""
