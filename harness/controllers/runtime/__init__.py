"""What every reference controller runs on: informer cache, work queue, webhooks, conditions, the service loop."""
