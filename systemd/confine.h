/* The two halves of pbx-confine's work: what files a program may reach (Landlock), and what it may ask of the kernel (seccomp). */
#ifndef PBX_CONFINE_H
#define PBX_CONFINE_H
#include <stdbool.h>

enum { NOT_CONFINED = 125, NOT_RUN = 126, NOT_THERE = 127 };

struct confinement {
    int landlock;  /* ABI of the kernel; 0: none */
    int ruleset;   /* descriptor, where there is Landlock */
    bool may_fork;
    int write_fd;  /* -1: none */
};

/* Says on standard error what failed with errno; returns NOT_CONFINED. */
int refuse(const char *what);

/* All return 0, or -1 with errno; without Landlock they do nothing. */
int landlock_abi(void);
int landlock_begin(struct confinement *);
int landlock_allow(const struct confinement *, const char *path, bool run);
int landlock_enforce(const struct confinement *);
void close_range_but(const struct confinement *, unsigned first);

int seccomp_there(void); /* 1 or 0 */
int seccomp_enforce(const struct confinement *);

#endif
