// A pseudo terminal for a simulated modem: pbx-pty LINK. Makes LINK point at the terminal, says "ready" on standard error,
// and moves bytes between the terminal's master and standard input and output. When standard input ends the link goes and
// the terminal hangs up, as a modem that is unplugged does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

struct pipe_buffer {
  char bytes[4096];
  size_t from, to;
};

static int fail(const char *what) {
  fprintf(stderr, "pbx-pty: %s: %s\n", what, strerror(errno));
  return 1;
}

// 0: the other side has ended.
static int fill(struct pipe_buffer *b, int fd) {
  ssize_t got = read(fd, b->bytes, sizeof b->bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 1;
  if (got <= 0) return 0;
  b->from = 0;
  b->to = (size_t)got;
  return 1;
}

static int drain(struct pipe_buffer *b, int fd) {
  ssize_t put = write(fd, b->bytes + b->from, b->to - b->from);
  if (put < 0) return errno == EINTR || errno == EAGAIN;
  b->from += (size_t)put;
  return 1;
}

static int open_terminal(int *master, int *slave) {
  struct termios raw;
  *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*master < 0 || grantpt(*master) != 0 || unlockpt(*master) != 0) return 0;
  // Kept open, so that a daemon that closes its end does not hang up the master.
  *slave = open(ptsname(*master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*slave < 0 || tcgetattr(*slave, &raw) != 0) return 0;
  cfmakeraw(&raw);
  return tcsetattr(*slave, TCSANOW, &raw) == 0 && fcntl(*master, F_SETFL, O_NONBLOCK) == 0;
}

int main(int count, char **arguments) {
  struct pipe_buffer in = {{0}, 0, 0}, out = {{0}, 0, 0};
  int master, slave;
  if (count != 2) {
    fprintf(stderr, "pbx-pty LINK\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  if (!open_terminal(&master, &slave)) return fail("terminal");
  unlink(arguments[1]);
  if (symlink(ptsname(master), arguments[1]) != 0) return fail(arguments[1]);
  // Standard output is a socket where Node is at its other end: little waits there when Node takes nothing, as in a modem's own small buffer.
  setsockopt(STDOUT_FILENO, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int));
  fprintf(stderr, "ready\n");
  for (;;) {
    // What nobody takes is waited for: nothing is read while a buffer is full.
    struct pollfd watched[] = {
        {.fd = STDIN_FILENO, .events = in.from == in.to ? POLLIN : 0},
        {.fd = STDOUT_FILENO, .events = out.from < out.to ? POLLOUT : 0},
        {.fd = master, .events = (short)((out.from == out.to ? POLLIN : 0) | (in.from < in.to ? POLLOUT : 0))},
    };
    if (poll(watched, 3, -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (in.from == in.to && (watched[0].revents & (POLLIN | POLLHUP))) {
      if (!fill(&in, STDIN_FILENO)) break;
    } else if (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
      break;
    }
    if (watched[1].revents & (POLLERR | POLLHUP)) break;
    if (in.from < in.to && !drain(&in, master)) break;
    if (out.from == out.to && (watched[2].revents & POLLIN) && !fill(&out, master)) break;
    if (out.from < out.to && !drain(&out, STDOUT_FILENO)) break;
  }
  unlink(arguments[1]);
  return 0;
}
