"""The reference controller of KEP-498: JobSet pods wait in an init container until all of them are there."""
