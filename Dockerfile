# pbxd on its embedded default, for a machine that is not Debian. The web port is at http://127.0.0.1:8080 of that machine:
#   docker build -t pbxd . && docker run --rm -it --name pbxd -p 127.0.0.1:8080:8080 -v pbxd:/pbxd/var pbxd
#   docker exec pbxd npm run demo
# Telephones need more than a forwarded port: run it with --network host and a configuration of your own.
FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /pbxd
COPY . .
RUN sh scripts/setup && rm -rf /var/lib/apt/lists/* /root/.npm && useradd --system --create-home pbx && mkdir -p var && chown pbx var
USER pbx
# The loopback of a container is not reached from outside of it.
ENV PBXD_HTTP_LISTEN=0.0.0.0:8080
VOLUME /pbxd/var
EXPOSE 8080
CMD ["npm", "start"]
