"""Ask questions on the pages, at the end of their chapter and again in later chapters."""
