"""The command `profrt`."""

import signal
import sys

from profrt import _profrt


def main() -> None:
    """Run the tool with the arguments of this process."""
    # Python's handler would wait for the end of the command.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_profrt.main(sys.argv))
