"""Ask quiz questions at the end of each chapter's page, and ask them again in later chapters."""
