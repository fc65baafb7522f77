"""Boxes with real kubelets, made by kind; see `harness.box.kind.box.KindBox`."""
