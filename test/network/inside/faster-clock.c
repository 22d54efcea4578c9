/*
 * Stands before the C library (LD_PRELOAD) and makes time go faster for one program: its monotonic clock, and what waits by it. How many
 * times faster is the number of eight bytes in the file that CLOCK_RATE names; it may change at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t one = 1;
static volatile int64_t *wanted = &one;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t real_base, base, rate = 1;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_sleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_semaphore)(sem_t *, clockid_t, const struct timespec *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
  *(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  *(void **)&real_sleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  *(void **)&real_semaphore = dlsym(RTLD_NEXT, "sem_clockwait");
  *(void **)&real_wait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  const char *name = getenv("CLOCK_RATE");
  const int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof *wanted, PROT_READ, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) wanted = shared;
  close(file);
}

static int64_t nanoseconds(const struct timespec *t) { return t->tv_sec * 1000000000LL + t->tv_nsec; }
static struct timespec timespec_of(int64_t ns) { return (struct timespec){ns / 1000000000, ns % 1000000000}; }
static int is_ours(clockid_t clock) { return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE; }

/* Between the two times; a change of the rate is a new beginning. */
static int64_t translate(int64_t ns, int to_real) {
  pthread_mutex_lock(&lock);
  if (*wanted != rate || real_base == 0) {
    struct timespec t;
    real_gettime(CLOCK_MONOTONIC, &t);
    const int64_t now = nanoseconds(&t);
    base = real_base == 0 ? now : base + (now - real_base) * rate;
    real_base = now;
    rate = *wanted < 1 ? 1 : *wanted;
  }
  const int64_t result = to_real ? real_base + (ns - base) / rate : base + (ns - real_base) * rate;
  pthread_mutex_unlock(&lock);
  return result;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  if (real_gettime == NULL) *(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real_gettime(clock, t);
  if (result == 0 && is_ours(clock)) *t = timespec_of(translate(nanoseconds(t), 0));
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left) {
  if (!is_ours(clock) || !(flags & TIMER_ABSTIME)) return real_sleep(clock, flags, t, left);
  const struct timespec at = timespec_of(translate(nanoseconds(t), 1));
  return real_sleep(clock, flags, &at, left);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *t) {
  if (!is_ours(clock)) return real_wait(condition, mutex, clock, t);
  const struct timespec at = timespec_of(translate(nanoseconds(t), 1));
  return real_wait(condition, mutex, clock, &at);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *t) {
  if (!is_ours(clock)) return real_semaphore(semaphore, clock, t);
  const struct timespec at = timespec_of(translate(nanoseconds(t), 1));
  return real_semaphore(semaphore, clock, &at);
}
