# muxpilot with its own tmux, for an agent that works inside a container.
#
#   docker build -t muxpilot .
#   docker run -i --rm --name muxpilot muxpilot        what an MCP client starts
#   docker exec -it muxpilot tmux attach               what you see of it
#
# Mount what the agent may work on: -v "$PWD:/home/agent/work" -w /home/agent/work

FROM python:3.13-slim-bookworm AS build
WORKDIR /build
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY src src
# Exact versions, of the build backend too.
ENV PIP_CONSTRAINT=/build/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/muxpilot && /opt/muxpilot/bin/pip install --no-cache-dir .

FROM python:3.13-slim-bookworm
# tini: tmux servers and their shells become orphans by design, and somebody must reap them.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fish git less procps tini tmux zsh \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 --shell /bin/bash agent
COPY --from=build /opt/muxpilot /opt/muxpilot
ENV PATH=/opt/muxpilot/bin:$PATH LANG=C.UTF-8 SHELL=/bin/bash
USER 1000
WORKDIR /home/agent
ENTRYPOINT ["tini", "--", "muxpilot"]
