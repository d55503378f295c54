# Two stages: everything is built and checked by types in the first; the second holds what a server needs and nothing else.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
COPY scripts scripts
RUN npm ci --no-audit --no-fund && npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    DOSIMETER_DATA=/data
WORKDIR /app
COPY --from=build --chown=root:root /app /app
# A separate user: it can read the program, and write only to these two folders. A new volume takes its owner from them.
RUN useradd --system --uid 10001 --home-dir /data dosimeter && install -d -o dosimeter -g dosimeter -m 0700 /data /files
USER dosimeter
VOLUME /data
EXPOSE 8080
# Ready, not only alive: a balancer sends no requests to a server whose database is unreachable.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/v1/ready').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM lets running measurements finish; nothing is lost if the process is killed instead.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "/app/packages/dosimeter/dist/main.js"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--log", "info"]
