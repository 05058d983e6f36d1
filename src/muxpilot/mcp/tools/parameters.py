"""Parameters that many tools share, described once."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Server = Annotated[str | None, Field(description="tmux socket name or path")]
PaneTarget = Annotated[str, Field(description="pane: %1, or session[:window[.pane]] by exact name or index")]
Within = Annotated[str | None, Field(description="only inside this session or window ($1, @2, name, name:1)")]
InSession = Annotated[str | None, Field(description="only of this session ($1 or exact name)")]
