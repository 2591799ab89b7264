"""Files of handovers: taken in, read, analysed, asked. Everything here belongs to a study."""
