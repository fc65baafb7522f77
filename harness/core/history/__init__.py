"""The history of a case: its records, how sources are merged, what is kept of an object, how it is stored."""
