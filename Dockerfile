# Two stages: everything is built and checked by types in the first; the second holds the command and its pages, and nothing else.
# For builds that can be repeated, name both images by their digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
# docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}' prints it; Renovate's Dockerfile manager pins it here.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.base.json LICENSE CHANGELOG.md ./
COPY packages packages
COPY apps apps
COPY docs docs
COPY scripts scripts
RUN npm ci --no-audit --no-fund && npm run build && npm run standalone /program

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    DOSIMETER_DATA=/data
WORKDIR /app
COPY --from=build --chown=root:root /program /app
# A separate user: it can read the program, and write only to these two folders. A new volume takes its owner from them.
RUN groupadd --system --gid 10001 dosimeter \
 && useradd --system --uid 10001 --gid 10001 --home-dir /data dosimeter \
 && install -d -o dosimeter -g dosimeter -m 0700 /data /files
USER 10001:10001
VOLUME /data
EXPOSE 8080
# Ready, not only alive: a balancer sends no requests to a server whose database is unreachable.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/v1/ready').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM lets running measurements finish; nothing is lost if the process is killed instead.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "/app/dist/command.js"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--log", "info"]
