# pbxd on its embedded default, for a machine that is not Debian. docs/container.md says what it can do, and what it cannot.
#   docker build -t pbxd . && docker run --rm -it --init --name pbxd -p 127.0.0.1:8080:8080 -v pbxd:/pbxd/var pbxd
#   docker exec pbxd pbx simulate inbound --from 101 --to 700 --keys 1
# Behind a proxy that signs with a certificate authority of its own: --secret id=ca,src=FILE. The image gets nothing of it.
ARG BASE=docker.io/library/debian:trixie-slim

FROM $BASE AS build
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt DEBIAN_FRONTEND=noninteractive
RUN --mount=type=secret,id=ca,mode=0444 \
    if [ -e /run/secrets/ca ]; then \
      install -D -m 644 /run/secrets/ca /usr/local/share/ca-certificates/build.crt; \
      echo 'Acquire::https::CaInfo "/usr/local/share/ca-certificates/build.crt";' >/etc/apt/apt.conf.d/90build-ca; \
    fi && \
    apt-get update && apt-get install -y --no-install-recommends ca-certificates nodejs npm
WORKDIR /source
COPY . .
RUN sh scripts/setup && DESTDIR=/tree systemd/install
# The Debian packages that the programs need, by the libraries that they load; what they only run is named below.
RUN find /tree -type f \( -name 'pbx-*' -o -name pbxd-peer -o -name '*.node' -o -path '*/bin/node' \) -exec ldd {} + 2>/dev/null | \
    sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | xargs readlink -f | sed 'p;s,^/usr,,' | xargs dpkg -S 2>/dev/null | sed 's/:.*//' | sort -u >/tree/libraries

FROM $BASE
COPY --from=build /tree/libraries /tmp/libraries
RUN --mount=type=secret,id=ca,mode=0444 \
    if [ -e /run/secrets/ca ]; then echo 'Acquire::https::CaInfo "/run/secrets/ca";' >/etc/apt/apt.conf.d/90build-ca; fi && \
    export DEBIAN_FRONTEND=noninteractive && apt-get update && \
    xargs apt-get install -y --no-install-recommends ca-certificates flite espeak-ng fonts-wqy-microhei </tmp/libraries && \
    rm -rf /etc/apt/apt.conf.d/90build-ca /var/lib/apt/lists/* /tmp/libraries && useradd --system --create-home pbx
COPY --from=build /tree/usr/lib/pbxd/package /pbxd
RUN ln -s /pbxd/scripts/pbx /usr/local/bin/pbx && mkdir /pbxd/var && chown pbx /pbxd/var
USER pbx
WORKDIR /pbxd
# The loopback of a container is not reached from outside of it, and the application is outside.
ENV PBXD_ROOT=/pbxd PBXD_HTTP_LISTEN=0.0.0.0:8080 PBXD_APPLICATION=http://host.docker.internal:3000/voice \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=65536
# Ended for good, and not to be back soon: the engine ends, too.
STOPSIGNAL SIGINT
VOLUME /pbxd/var
EXPOSE 8080
CMD ["/pbxd/bin/node", "--max-semi-space-size=2", "--v8-pool-size=1", "--invocation-count-for-turbofan=400", "--disable-sigusr1", "/pbxd/program/daemon/main.js"]
