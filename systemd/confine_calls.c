/*
 * seccomp (seccomp(2), by libseccomp): what a confined program may not ask of the kernel. Everything else is allowed, so that
 * Node's threads and its compiler go on working; calls that came after Linux 6.5 do not exist for it.
 */
#define _GNU_SOURCE
#include "confine.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DENY SCMP_ACT_ERRNO(EPERM)
#define UNKNOWN SCMP_ACT_ERRNO(ENOSYS)

static const char *const denied[] = {
    /* The network, and names of local sockets. */
    "socket", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg",
    /* Other programs of the same user, the daemon above all. */
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "move_pages", "migrate_pages", "setpriority", "ioprio_set",
    "sched_setscheduler", "sched_setparam", "sched_setattr", "shmget", "shmat", "msgget", "semget", "mq_open", "mq_unlink",
    /* Files that are there: Landlock does not know modes, owners and times, and Linux 6.1 no truncation by name. */
    "truncate", "truncate64", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "utime", "utimes", "futimesat", "utimensat", "link", "linkat", "symlink", "symlinkat",
    "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "mknod", "mknodat", "creat",
    "open_by_handle_at", "name_to_handle_at", "fanotify_init", "quotactl", "quotactl_fd",
    /* Programs from memory. */
    "execveat",
    /* Parts of the kernel that no program here needs and that exploits have used to break out. */
    "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "unshare", "setns", "mount", "umount", "umount2",
    "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr", "swapon", "swapoff",
    "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "acct", "syslog", "settimeofday", "clock_settime",
    "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "personality", "vhangup", "lookup_dcookie", "nfsservctl",
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "capset", "modify_ldt",
};

/* Their callers do without them when they are not there. */
static const char *const unknown[] = {"openat2", "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"};

enum { FIRST_UNKNOWN = 452, LAST_UNKNOWN = 520 };

/* A name that this machine does not have needs no rule. */
static int on(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned count, const struct scmp_arg_cmp *args)
{
    const int number = seccomp_syscall_resolve_name(name);
    return number < 0 ? 0 : seccomp_rule_add_array(filter, action, number, count, args);
}

static int deny_if(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp arg)
{
    return on(filter, DENY, name, 1, &arg);
}

/* No opening for writing, and no emptying by opening, which Landlock of Linux 6.1 takes for reading. */
static int deny_writing(scmp_filter_ctx filter, const char *name, unsigned flags, bool at_all)
{
    const struct scmp_arg_cmp modes[] = {
        {flags, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC},
        {flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_ACCMODE},
        {flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_WRONLY},
        {flags, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDWR},
        {flags, SCMP_CMP_MASKED_EQ, O_CREAT, O_CREAT},
    };
    const size_t count = at_all ? sizeof modes / sizeof *modes : 1;
    int failed = 0;
    for (size_t i = 0; i < count && failed == 0; i++) failed = deny_if(filter, name, modes[i]);
    return failed;
}

static int fill(scmp_filter_ctx filter, const struct confinement *c)
{
    const scmp_datum_t self = (scmp_datum_t)getpid();
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; failed == 0 && i < sizeof denied / sizeof *denied; i++) failed = on(filter, DENY, denied[i], 0, NULL);
    for (size_t i = 0; failed == 0 && i < sizeof unknown / sizeof *unknown; i++) failed = on(filter, UNKNOWN, unknown[i], 0, NULL);
    for (int number = FIRST_UNKNOWN; failed == 0 && number <= LAST_UNKNOWN; number++) failed = seccomp_rule_add(filter, UNKNOWN, number, 0);
    if (failed == 0) failed = deny_writing(filter, "open", 1, c->write_fd < 0);
    if (failed == 0) failed = deny_writing(filter, "openat", 2, c->write_fd < 0);
    /* What is open already may be talked over; a message may carry no address. */
    if (failed == 0) failed = deny_if(filter, "sendto", SCMP_A4(SCMP_CMP_NE, 0));
    if (failed == 0) failed = deny_if(filter, "socketpair", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    if (failed == 0) failed = deny_if(filter, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI));
    if (failed == 0) failed = deny_if(filter, "tgkill", SCMP_A0(SCMP_CMP_NE, self));
    /* Its own children it may end where Landlock keeps its signals from everybody else. */
    if (failed == 0 && !(c->may_fork && c->landlock >= 6)) failed = deny_if(filter, "kill", SCMP_A0(SCMP_CMP_NE, self));
    if (failed == 0) {
        const struct scmp_arg_cmp other[] = {SCMP_A0(SCMP_CMP_NE, 0), SCMP_A2(SCMP_CMP_NE, 0)};
        failed = on(filter, DENY, "prlimit64", 2, other);
    }
    if (failed != 0) return failed;
    if (c->may_fork) return deny_if(filter, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
    failed = deny_if(filter, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    if (failed == 0) failed = on(filter, DENY, "fork", 0, NULL);
    if (failed == 0) failed = on(filter, DENY, "vfork", 0, NULL);
    return failed;
}

int seccomp_there(void)
{
    const uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int seccomp_enforce(const struct confinement *c)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int failed = fill(filter, c);
    if (failed == 0) failed = seccomp_load(filter);
    seccomp_release(filter);
    if (failed == 0) return 0;
    errno = -failed;
    return -1;
}
