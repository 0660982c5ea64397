"""Work that becomes due: scheduled sends, and the due times of threads."""
