"""`python -m muxpilot` is `muxpilot`."""

import sys

from muxpilot.cli import main

sys.exit(main())
