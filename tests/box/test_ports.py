"""Ports stay ours from the moment they are chosen."""

import socket

import pytest

from harness.box.ports import Ports
from harness.core.errors import UsageError


@pytest.fixture
def ports():
    held = Ports()
    yield held
    held.close()


def test_no_port_is_given_twice(ports: Ports):
    reserved = [ports.reserve() for _ in range(200)]

    assert len(set(reserved)) == 200


def test_a_component_can_listen_on_a_reserved_port_and_again_after_a_restart(ports: Ports):
    port = ports.reserve()
    for _ in range(2):
        with socket.socket() as component:
            component.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as every Go listener does
            component.bind(("127.0.0.1", port))
            component.listen()
            with socket.create_connection(("127.0.0.1", port)):
                pass


def test_a_port_that_is_taken_is_a_usage_error(ports: Ports):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]

        with pytest.raises(UsageError, match=f"port {taken}"):
            ports.reserve(taken)


def test_close_gives_ports_back():
    ports = Ports()
    port = ports.reserve()
    ports.close()

    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
