# rollstream, as a worker or as an embedded pipeline:
#   docker build -t rollstream .
# Node's Debian image: chDB and LMDB have binaries for glibc.
FROM node:20-bookworm-slim AS build
WORKDIR /rollstream
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /rollstream
COPY --from=build /rollstream/package.json ./
COPY --from=build /rollstream/node_modules ./node_modules
COPY --from=build /rollstream/dist ./dist
COPY --from=build /rollstream/schemas ./schemas
COPY --from=build /rollstream/processors ./processors
COPY --from=build /rollstream/infra/clickhouse ./infra/clickhouse
COPY --from=build /rollstream/examples/rollouts ./examples/rollouts
COPY --from=build /rollstream/examples/vocabulary.json ./examples/vocabulary.json
RUN ln -s /rollstream/dist/src/cli/main.js /usr/local/bin/rollstream && mkdir /data && chown node:node /data
USER node
WORKDIR /data
EXPOSE 8080
# SIGTERM: drain, flush, commit, leave the group; within ten seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["rollstream"]
CMD ["up"]
