"""Where hosts that start the bundle by a file begin: the same as the command `muxpilot`."""

import sys

from muxpilot.cli import main

sys.exit(main())
