/*
 * Stands before the C library (LD_PRELOAD) and counts what a program asks of the kernel about its sockets. The counts lie in the file that
 * KERNEL_CALLS names, as three numbers of eight bytes: epoll_ctl, recvfrom that gave something, recvfrom that gave nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct counts {
  uint64_t controlled, received, in_vain;
};

static struct counts before_the_file;
static struct counts *counts = &before_the_file;

__attribute__((constructor)) static void open_counts(void) {
  const char *name = getenv("KERNEL_CALLS");
  const int file = name == NULL ? -1 : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof *counts) != 0) return;
  void *shared = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) counts = shared;
  close(file);
}

static void count(uint64_t *which) { __atomic_fetch_add(which, 1, __ATOMIC_RELAXED); }

int epoll_ctl(int queue, int what, int file, struct epoll_event *event) {
  int (*real)(int, int, int, struct epoll_event *);
  *(void **)&real = dlsym(RTLD_NEXT, "epoll_ctl");
  count(&counts->controlled);
  return real(queue, what, file, event);
}

ssize_t recvfrom(int file, void *into, size_t size, int flags, struct sockaddr *from, socklen_t *length) {
  ssize_t (*real)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
  *(void **)&real = dlsym(RTLD_NEXT, "recvfrom");
  const ssize_t got = real(file, into, size, flags, from, length);
  count(got < 0 ? &counts->in_vain : &counts->received);
  return got;
}
