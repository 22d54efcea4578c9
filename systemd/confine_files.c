/*
 * Landlock (landlock(7)): a program reaches only the files below the paths it was given. Debian's header is that of Linux 6.1 (ABI 2);
 * what later kernels can do more is written out here and asked for where they have it.
 */
#define _GNU_SOURCE
#include "confine.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FS_TRUNCATE (1ULL << 14)       /* ABI 3 */
#define NET_BIND_CONNECT (3ULL)        /* ABI 4: TCP; what seccomp forbids already */
#define FS_IOCTL_DEV (1ULL << 15)      /* ABI 5 */
#define SCOPE_ALL (3ULL)               /* ABI 6: abstract unix sockets, signals */
#define FS_ABI_1 ((1ULL << 13) - 1)

struct ruleset {
    uint64_t handled_access_fs, handled_access_net, scoped;
};

static const uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t file_rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | FS_TRUNCATE;

int landlock_abi(void)
{
    const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi < 0 ? 0 : (int)abi;
}

static uint64_t handled(int abi)
{
    return FS_ABI_1 | (abi >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) | (abi >= 5 ? FS_IOCTL_DEV : 0);
}

int landlock_begin(struct confinement *c)
{
    if (c->landlock == 0) return 0;
    const struct ruleset rules = {
        .handled_access_fs = handled(c->landlock),
        .handled_access_net = c->landlock >= 4 ? NET_BIND_CONNECT : 0,
        .scoped = c->landlock >= 6 ? SCOPE_ALL : 0,
    };
    /* Fields that are zero may be unknown to the kernel. */
    c->ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    return c->ruleset < 0 ? -1 : 0;
}

static int allow(const struct confinement *c, int file, uint64_t rights)
{
    struct stat found;
    if (fstat(file, &found) != 0) return -1;
    if (!S_ISDIR(found.st_mode)) rights &= file_rights;
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights & handled(c->landlock), .parent_fd = file};
    return (int)syscall(SYS_landlock_add_rule, c->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

int landlock_allow(const struct confinement *c, const char *path, bool run)
{
    if (c->landlock == 0) return 0;
    const int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
    const int result = allow(c, file, read_rights | (run ? LANDLOCK_ACCESS_FS_EXECUTE : 0));
    close(file);
    return result;
}

int landlock_enforce(const struct confinement *c)
{
    if (c->landlock == 0) return 0;
    if (c->write_fd >= 0 && allow(c, c->write_fd, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE) != 0) return -1;
    const int result = (int)syscall(SYS_landlock_restrict_self, c->ruleset, 0);
    close(c->ruleset);
    return result;
}

/* The rules themselves are open too, until they are enforced, and close at the start of the program. */
void close_range_but(const struct confinement *c, unsigned first)
{
    if (c->landlock == 0) {
        close_range(first, ~0U, 0);
        return;
    }
    const unsigned own = (unsigned)c->ruleset;
    if (own > first) close_range(first, own - 1, 0);
    close_range(own + 1 > first ? own + 1 : first, ~0U, 0);
}
