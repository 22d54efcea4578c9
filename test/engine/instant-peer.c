/*
 * instant-peer: a far end that answers within microseconds, before the caller's own program has gone on after it sent the
 * request. What it does is in the first digits of the number that is called:
 *   2001...  accepts the call and says BYE in the same breath
 *   2000...  accepts it and stays; a BYE to such a call is counted, since nobody of ours ordered one
 *   1800...  rings and no more; a CANCEL is answered, the call with 487
 *   else     refuses it with the first three digits
 *
 * instant-peer ADDRESS: prints "ready PORT", then obeys lines on standard input:
 *   report   prints one line of JSON: { "invites", "standing", "byes" }; byes: those to calls that were to stand
 * and ends at the end of standard input.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGEST = 8192, VALUE = 512 };

static int fd;
static char here[64];
static struct sockaddr_in from;
static unsigned long invites, standing, byes, branches;

static void say(const char *text, int length) {
  if (length > 0 && length < LARGEST) sendto(fd, text, (size_t)length, 0, (const struct sockaddr *)&from, sizeof from);
}

/* The first header of that name, or of its short form; "" where there is none. */
static void header(const char *message, const char *name, char *into) {
  const size_t size = strlen(name);
  into[0] = 0;
  for (const char *line = strstr(message, "\r\n"); line != NULL && strncmp(line, "\r\n\r\n", 4) != 0; line = strstr(line + 2, "\r\n")) {
    const char *at = line + 2;
    if (strncasecmp(at, name, size) != 0 || at[size] != ':') continue;
    at += size + 1;
    while (*at == ' ') at++;
    const char *end = strstr(at, "\r\n");
    if (end == NULL || end - at >= VALUE) return;
    memcpy(into, at, (size_t)(end - at));
    into[end - at] = 0;
    return;
  }
}

struct request {
  char via[VALUE], from[VALUE], to[VALUE], id[VALUE], cseq[VALUE], contact[VALUE], number[VALUE];
};

static void read_request(const char *message, struct request *r) {
  header(message, "Via", r->via);
  header(message, "From", r->from);
  header(message, "To", r->to);
  header(message, "Call-ID", r->id);
  header(message, "CSeq", r->cseq);
  header(message, "Contact", r->contact);
  r->number[0] = 0;
  if (sscanf(r->to, "%*[^:]:%32[^@>]", r->number) != 1) r->number[0] = 0;
  if (strstr(r->to, ";tag=") == NULL) strncat(r->to, ";tag=peer", VALUE - strlen(r->to) - 1);
}

static void answer(const struct request *r, int code, const char *cseq, int described) {
  static const char sdp[] = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n";
  char text[LARGEST];
  const int length = snprintf(text, sizeof text,
                              "SIP/2.0 %d Instant\r\nVia: %s\r\nFrom: %s\r\nTo: %s\r\nCall-ID: %s\r\nCSeq: %s\r\nContact: <sip:peer@%s>\r\n%sContent-Length: %zu\r\n\r\n%s", code, r->via,
                              r->from, r->to, r->id, cseq, here, described ? "Content-Type: application/sdp\r\n" : "", described ? strlen(sdp) : 0, described ? sdp : "");
  say(text, length);
}

static void bye(const struct request *r) {
  char text[LARGEST], uri[VALUE];
  if (sscanf(r->contact, "%*[^<]<%500[^>]>", uri) != 1 && sscanf(r->contact, "<%500[^>]>", uri) != 1) return;
  const int length = snprintf(text, sizeof text, "BYE %s SIP/2.0\r\nVia: SIP/2.0/UDP %s;rport;branch=z9hG4bKinstant%lu\r\nMax-Forwards: 70\r\nFrom: %s\r\nTo: %s\r\nCall-ID: %s\r\nCSeq: 1 BYE\r\nContent-Length: 0\r\n\r\n",
                              uri, here, ++branches, r->to, r->from, r->id);
  say(text, length);
}

static void receive(char *message) {
  if (strncmp(message, "SIP/2.0 ", 8) == 0) return;
  struct request r;
  read_request(message, &r);
  if (strncmp(message, "INVITE ", 7) == 0) {
    const int first = strncmp(r.number, "200", 3) == 0, rings = strncmp(r.number, "1800", 4) == 0;
    invites++;
    if (rings) {
      answer(&r, 180, r.cseq, 0);
    } else if (first) {
      answer(&r, 200, r.cseq, 1);
      if (r.number[3] == '1') bye(&r);
      else standing++;
    } else {
      const int code = atoi((char[]){r.number[0], r.number[1], r.number[2], 0});
      answer(&r, code >= 300 && code < 700 ? code : 486, r.cseq, 0);
    }
  } else if (strncmp(message, "CANCEL ", 7) == 0) {
    answer(&r, 200, r.cseq, 0);
    char cseq[VALUE];
    snprintf(cseq, sizeof cseq, "%d INVITE", atoi(r.cseq));
    answer(&r, 487, cseq, 0);
  } else if (strncmp(message, "BYE ", 4) == 0) {
    if (strncmp(r.number, "2000", 4) == 0) byes++;
    answer(&r, 200, r.cseq, 0);
  } else if (strncmp(message, "ACK ", 4) != 0) {
    answer(&r, 200, r.cseq, 0);
  }
}

int main(int count, char **words) {
  if (count != 2) return 2;
  fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in own = {.sin_family = AF_INET};
  socklen_t size = sizeof own;
  const int room = 1 << 22;
  if (inet_pton(AF_INET, words[1], &own.sin_addr) != 1 || bind(fd, (struct sockaddr *)&own, size) != 0 || getsockname(fd, (struct sockaddr *)&own, &size) != 0) return 1;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  snprintf(here, sizeof here, "%s:%d", words[1], ntohs(own.sin_port));
  printf("ready %d\n", ntohs(own.sin_port));
  fflush(stdout);
  for (struct pollfd both[2] = {{.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};;) {
    if (poll(both, 2, -1) < 0) return 1;
    if (both[0].revents != 0) {
      static char message[LARGEST + 1];
      socklen_t length = sizeof from;
      const ssize_t got = recvfrom(fd, message, LARGEST, 0, (struct sockaddr *)&from, &length);
      if (got > 0) {
        message[got] = 0;
        receive(message);
      }
    }
    if (both[1].revents != 0) {
      char line[64];
      if (read(0, line, sizeof line) <= 0) return 0;
      printf("{\"invites\":%lu,\"standing\":%lu,\"byes\":%lu}\n", invites, standing, byes);
      fflush(stdout);
    }
  }
}
