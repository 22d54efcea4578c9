/*
 * bare-rtp ADDRESS BASE COUNT: the least that COUNT calls can cost here. Every 20 ms, for each of the ports BASE, BASE+2, ..., one packet of
 * RTP is sent to it from a socket of its own, and what came back is taken. No SIP, no jitter buffer, no codec, one thread: two calls of the
 * kernel for each call and turn. Prints "ready", and ends at the end of standard input.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { header = 12, frame = 160, most = 1024, period = 20000000 };

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int count = atoi(argv[3]);
  static int sockets[most];
  static struct sockaddr_in far[most];
  unsigned char packet[header + frame], heard[2048];
  if (count < 1 || count > most) return 2;
  for (int i = 0; i < count; i++) {
    struct sockaddr_in own = {.sin_family = AF_INET};
    inet_pton(AF_INET, argv[1], &own.sin_addr);
    far[i] = own;
    far[i].sin_port = htons((uint16_t)(atoi(argv[2]) + 2 * i));
    sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (sockets[i] < 0 || bind(sockets[i], (struct sockaddr *)&own, sizeof own) != 0) return perror("socket"), 1;
  }
  struct sched_param priority = {.sched_priority = 20};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  printf("ready\n");
  fflush(stdout);
  memset(packet, 0xff, sizeof packet);
  packet[0] = 0x80;
  packet[1] = 0;
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  struct pollfd end = {.fd = 0, .events = POLLIN};
  for (uint32_t turn = 0; turn % 50 != 0 || poll(&end, 1, 0) == 0; turn++) {
    due.tv_nsec += period;
    if (due.tv_nsec >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
    }
    const uint16_t sequence = htons((uint16_t)turn);
    const uint32_t timestamp = htonl(turn * frame);
    memcpy(packet + 2, &sequence, 2);
    memcpy(packet + 4, &timestamp, 4);
    for (int i = 0; i < count; i++) {
      struct sockaddr_in from;
      socklen_t size = sizeof from;
      (void)!recvfrom(sockets[i], heard, sizeof heard, 0, (struct sockaddr *)&from, &size);
    }
    for (int i = 0; i < count; i++) {
      memcpy(packet + 8, &i, sizeof i);
      (void)!sendto(sockets[i], packet, sizeof packet, 0, (struct sockaddr *)&far[i], sizeof far[i]);
    }
  }
  return 0;
}
