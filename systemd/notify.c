/*
 * pbxd-notify: reports the daemon's state to systemd. Each line of standard input goes as one datagram to $NOTIFY_SOCKET (a path, or
 * an abstract socket written with a leading @; see sd_notify(3)); the end of standard input ends the program.
 * pbxd-notify --listen NAME plays the other side: binds NAME, says "listening", and prints each datagram as a line.
 * Exit codes: 0 end of input, 1 the socket cannot be used, 2 wrong usage.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINE = 4096 };

/* Returns the length of the address, or 0 when the name does not fit. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
    const size_t length = strlen(name);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if ((name[0] != '/' && name[0] != '@') || length < 2 || length >= sizeof address->sun_path) return 0;
    memcpy(address->sun_path, name, length);
    if (name[0] != '@') return sizeof *address;
    address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static int fail(const char *what)
{
    perror(what);
    return 1;
}

static int listen_on(int fd, const struct sockaddr_un *address, socklen_t size)
{
    char datagram[LINE];
    if (bind(fd, (const struct sockaddr *)address, size) != 0) return fail("pbxd-notify: bind");
    puts("listening");
    fflush(stdout);
    for (;;) {
        const ssize_t got = recv(fd, datagram, sizeof datagram, 0);
        if (got < 0) return fail("pbxd-notify: recv");
        printf("%.*s\n", (int)got, datagram);
        fflush(stdout);
    }
}

static int forward(int fd, const struct sockaddr_un *address, socklen_t size)
{
    char line[LINE];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const size_t length = strcspn(line, "\n");
        /* A message that is lost is said and survived: systemd may be restarting itself. */
        if (sendto(fd, line, length, MSG_NOSIGNAL, (const struct sockaddr *)address, size) < 0) fail("pbxd-notify: send");
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct sockaddr_un address;
    const int listening = argc == 3 && strcmp(argv[1], "--listen") == 0;
    const char *name = listening ? argv[2] : getenv("NOTIFY_SOCKET");
    if ((argc != 1 && !listening) || name == NULL) {
        fputs("usage: NOTIFY_SOCKET=NAME pbxd-notify < LINES\n       pbxd-notify --listen NAME\n", stderr);
        return 2;
    }
    const socklen_t size = address_of(name, &address);
    if (size == 0) {
        fprintf(stderr, "pbxd-notify: %s is no name of a unix socket\n", name);
        return 1;
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail("pbxd-notify: socket");
    return listening ? listen_on(fd, &address, size) : forward(fd, &address, size);
}
