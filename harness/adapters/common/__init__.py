"""What several integrations share: the Adapter type, rendering, starting programs, installing releases."""
