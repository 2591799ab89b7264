"""Agreement of people and machine on what answers say."""
