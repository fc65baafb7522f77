"""The reference controller of KEP-1068: a JobSet with gangConfig becomes Workloads and PodGroups."""
