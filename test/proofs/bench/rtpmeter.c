/*
 * rtpmeter: the voice of many phones at once, and the measure of what they are sent.
 *
 * Binds one UDP port for each phone (BASE, BASE+2, ...), answers the first packet of each with 20 ms G.711 frames to where
 * it came from, and takes the interval between successive RTP packets from the kernel's receive time stamps
 * (SO_TIMESTAMPNS): on the loopback those are taken in the sender's own send call, so that the scheduling of this program
 * does not enter the figures.
 *
 * rtpmeter ADDRESS BASE COUNT: prints "ready", then obeys lines on standard input:
 *   phones    answers how many phones have received anything
 *   start     forgets all figures
 *   report    prints one line of JSON
 * and ends at the end of standard input.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { batch = 16, frame = 160, header = 12, most = 1024 };

struct phone {
  int fd;
  struct sockaddr_in peer;
  int64_t last; /* receive time of the last packet, ns; 0 before the first */
  uint16_t seq, sent;
  uint32_t timestamp;
};

static struct phone phones[most];
static uint32_t *deviations; /* microseconds */
static size_t deviationCount, deviationSize;
static unsigned long packets, lost, late;

static void keep(int64_t ns) {
  if (deviationCount == deviationSize) {
    deviationSize = deviationSize ? deviationSize * 2 : 1 << 16;
    deviations = realloc(deviations, deviationSize * sizeof *deviations);
    if (!deviations) exit(1);
  }
  deviations[deviationCount++] = (uint32_t)(ns / 1000);
}

static void arrived(struct phone *p, const unsigned char *data, size_t size, int64_t at, const struct sockaddr_in *from) {
  if (size < header || (data[0] >> 6) != 2 || (data[1] >= 192 && data[1] <= 223)) return;
  uint16_t seq = (uint16_t)(data[2] << 8 | data[3]);
  if (!p->last) p->peer = *from;
  else {
    uint16_t step = (uint16_t)(seq - p->seq);
    int64_t interval = at - p->last;
    packets++;
    if (step == 1) {
      keep(interval > 20000000 ? interval - 20000000 : 20000000 - interval);
      if (interval > 40000000) late++;
    } else if (step < 1000) lost += step - 1u;
  }
  p->seq = seq;
  p->last = at;
}

static void receive(struct phone *p) {
  static unsigned char data[batch][2048];
  static char control[batch][64];
  struct mmsghdr messages[batch];
  struct iovec vectors[batch];
  struct sockaddr_in from[batch];
  for (;;) {
    for (int i = 0; i < batch; i++) {
      vectors[i] = (struct iovec){data[i], sizeof data[i]};
      messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i], .msg_namelen = sizeof from[i], .msg_iov = &vectors[i], .msg_iovlen = 1,
                                            .msg_control = control[i], .msg_controllen = sizeof control[i]};
    }
    int n = recvmmsg(p->fd, messages, batch, MSG_DONTWAIT, NULL);
    if (n <= 0) return;
    for (int i = 0; i < n; i++) {
      struct cmsghdr *c = CMSG_FIRSTHDR(&messages[i].msg_hdr);
      if (!c || c->cmsg_type != SCM_TIMESTAMPNS) continue;
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof t);
      arrived(p, data[i], messages[i].msg_len, t.tv_sec * 1000000000LL + t.tv_nsec, &from[i]);
    }
    if (n < batch) return;
  }
}

static void transmit(struct phone *p) {
  unsigned char packet[header + frame];
  uint32_t timestamp = htonl(p->timestamp), source = htonl(0x5000u + (uint32_t)(p - phones));
  uint16_t seq = htons(p->sent++);
  packet[0] = 0x80;
  packet[1] = 0;
  memcpy(packet + 2, &seq, 2);
  memcpy(packet + 4, &timestamp, 4);
  memcpy(packet + 8, &source, 4);
  for (int i = 0; i < frame; i++) packet[header + i] = (unsigned char)((i * 7 + p->timestamp) & 0x3f) | 0xc0; /* a faint murmur */
  p->timestamp += frame;
  if (sendto(p->fd, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&p->peer, sizeof p->peer) < 0 && errno != EAGAIN && errno != ECONNREFUSED) perror("sendto");
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static double part(double share) { return deviationCount ? deviations[(size_t)((double)(deviationCount - 1) * share)] / 1000.0 : 0; }

static void command(const char *line, int count) {
  if (!strncmp(line, "phones", 6)) {
    int heard = 0;
    for (int i = 0; i < count; i++) heard += phones[i].last != 0;
    printf("%d\n", heard);
  } else if (!strncmp(line, "start", 5)) {
    deviationCount = 0;
    packets = lost = late = 0;
    printf("started\n");
  } else if (!strncmp(line, "report", 6)) {
    qsort(deviations, deviationCount, sizeof *deviations, ascending);
    printf("{\"packets\":%lu,\"lost\":%lu,\"over40ms\":%lu,\"p50\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"max\":%.3f}\n", packets, lost, late, part(0.5), part(0.99), part(0.999), part(1));
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: rtpmeter ADDRESS BASE COUNT\n"), 2;
  int base = atoi(argv[2]), count = atoi(argv[3]);
  if (count < 1 || count > most) return 2;
  struct rlimit files = {4096, 4096};
  setrlimit(RLIMIT_NOFILE, &files);
  int poller = epoll_create1(0), clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  for (int i = 0; i < count; i++) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(base + 2 * i))};
    inet_pton(AF_INET, argv[1], &local.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), on = 1, size = 1 << 18;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&local, sizeof local)) return perror("bind"), 1;
    phones[i].fd = fd;
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.u32 = (uint32_t)i});
  }
  epoll_ctl(poller, EPOLL_CTL_ADD, clock, &(struct epoll_event){.events = EPOLLIN, .data.u32 = most});
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &(struct epoll_event){.events = EPOLLIN, .data.u32 = most + 1});
  /* Five slots of 4 ms: real phones do not send all at the same instant. */
  struct itimerspec turn = {{0, 4000000}, {0, 4000000}};
  timerfd_settime(clock, 0, &turn, NULL);
  printf("ready\n");
  fflush(stdout);
  unsigned slot = 0;
  for (;;) {
    struct epoll_event events[256];
    int n = epoll_wait(poller, events, 256, -1);
    for (int e = 0; e < n; e++) {
      uint32_t which = events[e].data.u32;
      if (which < most) receive(&phones[which]);
      else if (which == most) {
        uint64_t turns = 0;
        if (read(clock, &turns, sizeof turns) != sizeof turns) continue;
        if (turns > 25) turns = 25;
        for (; turns; turns--, slot = (slot + 1) % 5)
          for (int i = (int)slot; i < count; i += 5)
            if (phones[i].last) transmit(&phones[i]);
      } else {
        char line[64];
        ssize_t size = read(0, line, sizeof line - 1);
        if (size <= 0) return 0;
        line[size] = 0;
        command(line, count);
      }
    }
  }
}
