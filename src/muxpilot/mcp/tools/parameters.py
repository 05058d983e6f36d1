"""Parameters that many tools share, described once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from muxpilot.mcp.shapes import Field

Server = Annotated[str | None, Field(description="socket name or path")]
PaneTarget = Annotated[str, Field(description="pane: %1, or exact session[:window[.pane]]")]
WindowTarget = Annotated[str, Field(description="window: @2, or exact session[:window]")]
SessionTarget = Annotated[str, Field(description="session: $1 or exact name")]
Within = Annotated[str | None, Field(description="only in this session or window ($1, @2, name, name:1)")]
InSession = Annotated[str | None, Field(description="only of this session ($1 or exact name)")]
Filters = Annotated[
    dict[str, Any] | str | None,
    Field(description='by field: {"session_name__contains": "x"}; also exact, startswith, regex, i...'),
]
Cells = Annotated[int | None, Field(ge=1, le=10000)]
Environment = dict[str, str] | None
Split = Literal["above", "below", "left", "right"]
Sensitive = Annotated[bool, Field(description="a secret: kept out of logs and records")]
Size = Annotated[str | int | None, Field(description="cells, or a percentage: '30%'")]
