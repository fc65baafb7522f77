"""Cases run with the plugin of an installed muster; nothing else is shared between them."""
