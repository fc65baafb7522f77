"""Run the simulated kubelet until SIGTERM."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.controllers.runtime.service import ControllerOptions, serve
from harness.controllers.simulated_kubelet.controller import SimulatedKubelet


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--health-port", type=int, required=True)
    arguments = parser.parse_args()
    serve(SimulatedKubelet, ControllerOptions(kubeconfig=arguments.kubeconfig, health_port=arguments.health_port))


if __name__ == "__main__":
    main()
