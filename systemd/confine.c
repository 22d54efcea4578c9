/*
 * pbx-confine: runs a program that reads what strangers made (a PDF, speech, a model) so that it can do nothing else with it.
 *   pbx-confine [OPTION...] -- PROGRAM [ARGUMENT...]
 *   pbx-confine --check        says what this kernel grants: "landlock ABI" (0: none) and "seccomp 1|0"
 * Always: no new privileges, no core file, no network, no change to the file system, no signal to other programs, no look into them; files
 * are read only below what is named, and opened for writing only where --write-fd names them. No right of the caller's is needed.
 * NODE_OPTIONS, by which others would have every Node load something, is taken out of the environment.
 *   --read PATH       PATH and what lies below may be read; one that is not there is passed over
 *   --run PATH        likewise, and its programs may be run in place of this one (in processes of their own with --fork)
 *   --write-fd N      the file open as descriptor N may be opened again for writing
 *   --keep-fds N      descriptors from N on are closed
 *   --data BYTES, --cpu SECONDS, --file-bytes BYTES   setrlimit(2): RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE
 *   --fork N          it may start programs; with them the user may have N tasks more than now
 *   --nice N, --idle  priority below the caller's; only the time that nobody else wants (SCHED_IDLE)
 *   --oom-score N     when memory is short, rather this one (proc(5), oom_score_adj)
 *   --with-parent     it is killed when its parent ends
 *   --without-landlock   on a kernel without Landlock: reading is then not limited
 * Exit codes: those of PROGRAM; 2 wrong usage, 125 it could not be confined and was not run, 126 it cannot be run, 127 it is not there.
 */
#define _GNU_SOURCE
#include "confine.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum option_key { READ = 1, RUN, WRITE_FD, KEEP_FDS, DATA, CPU, FILE_BYTES, FORK, NICE, IDLE, OOM_SCORE, WITH_PARENT, WITHOUT_LANDLOCK, CHECK };

static const struct option options[] = {
    {"read", required_argument, NULL, READ},
    {"run", required_argument, NULL, RUN},
    {"write-fd", required_argument, NULL, WRITE_FD},
    {"keep-fds", required_argument, NULL, KEEP_FDS},
    {"data", required_argument, NULL, DATA},
    {"cpu", required_argument, NULL, CPU},
    {"file-bytes", required_argument, NULL, FILE_BYTES},
    {"fork", required_argument, NULL, FORK},
    {"nice", required_argument, NULL, NICE},
    {"idle", no_argument, NULL, IDLE},
    {"oom-score", required_argument, NULL, OOM_SCORE},
    {"with-parent", no_argument, NULL, WITH_PARENT},
    {"without-landlock", no_argument, NULL, WITHOUT_LANDLOCK},
    {"check", no_argument, NULL, CHECK},
    {NULL, 0, NULL, 0},
};

int refuse(const char *what)
{
    fprintf(stderr, "pbx-confine: %s: %s\n", what, strerror(errno));
    return NOT_CONFINED;
}

static void limit(int resource, const char *value)
{
    const rlim_t most = strtoull(value, NULL, 10);
    if (setrlimit(resource, &(struct rlimit){most, most}) != 0) exit(refuse("setrlimit"));
}

/* Tasks of this user, as RLIMIT_NPROC counts them; those of others are not seen, or not ours. */
static unsigned long tasks_of_user(void)
{
    unsigned long tasks = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        char path[300], line[256];
        struct stat owner;
        if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name)) continue;
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        FILE *status = fopen(path, "re");
        if (status == NULL) continue;
        if (fstat(fileno(status), &owner) == 0 && owner.st_uid == getuid()) {
            unsigned long threads = 0;
            while (fgets(line, sizeof line, status) != NULL && sscanf(line, "Threads: %lu", &threads) != 1) continue;
            tasks += threads;
        }
        fclose(status);
    }
    if (all != NULL) closedir(all);
    return tasks;
}

static void limit_tasks(unsigned long more)
{
    const rlim_t most = tasks_of_user() + more;
    if (setrlimit(RLIMIT_NPROC, &(struct rlimit){most, most}) != 0) exit(refuse("setrlimit"));
}

/*
 * Priorities are a wish: a service that may not have them works all the same. The rank that lets the daemon's loop go first is its
 * own, and nothing that strangers' files are read with.
 */
static void be_nice(int by)
{
    const int inherited = getpriority(PRIO_PROCESS, 0);
    if (setpriority(PRIO_PROCESS, 0, (inherited < 0 ? 0 : inherited) + by) != 0) perror("pbx-confine: setpriority");
}

static void be_idle(void)
{
    if (sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) != 0) perror("pbx-confine: sched_setscheduler");
}

static void offer_to_kernel(const char *score)
{
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, score, strlen(score)) < 0) perror("pbx-confine: oom_score_adj");
    if (file >= 0) close(file);
}

static int check(void)
{
    printf("landlock %d\nseccomp %d\n", landlock_abi(), seccomp_there());
    return 0;
}

int main(int argc, char **argv)
{
    struct confinement wanted = {.landlock = landlock_abi(), .may_fork = false, .write_fd = -1};
    bool without_landlock = false, with_parent = false;
    const pid_t parent = getppid();
    const char *fork_tasks = NULL;

    if (landlock_begin(&wanted) != 0) return refuse("landlock");
    for (int key; (key = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        switch (key) {
        case READ: if (landlock_allow(&wanted, optarg, false) != 0) return refuse(optarg); break;
        case RUN: if (landlock_allow(&wanted, optarg, true) != 0) return refuse(optarg); break;
        case WRITE_FD: wanted.write_fd = atoi(optarg); break;
        case KEEP_FDS: close_range_but(&wanted, (unsigned)atoi(optarg)); break;
        case DATA: limit(RLIMIT_DATA, optarg); break;
        case CPU: limit(RLIMIT_CPU, optarg); break;
        case FILE_BYTES: limit(RLIMIT_FSIZE, optarg); break;
        case FORK: fork_tasks = optarg; wanted.may_fork = true; break;
        case NICE: be_nice(atoi(optarg)); break;
        case IDLE: be_idle(); break;
        case OOM_SCORE: offer_to_kernel(optarg); break;
        case WITH_PARENT: with_parent = true; break;
        case WITHOUT_LANDLOCK: without_landlock = true; break;
        case CHECK: return check();
        default: fputs("usage: pbx-confine [OPTION...] -- PROGRAM [ARGUMENT...]\n", stderr); return 2;
        }
    }
    if (optind >= argc) {
        fputs("pbx-confine: no program is named\n", stderr);
        return 2;
    }
    if (wanted.landlock == 0 && !without_landlock) return refuse("this kernel has no Landlock");
    limit(RLIMIT_CORE, "0");
    if (fork_tasks != NULL) limit_tasks(strtoul(fork_tasks, NULL, 10));
    if (with_parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) return refuse("the parent is gone");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refuse("no_new_privs");
    if (landlock_enforce(&wanted) != 0) return refuse("landlock");
    if (seccomp_enforce(&wanted) != 0) return refuse("seccomp");
    unsetenv("NODE_OPTIONS");
    execvp(argv[optind], argv + optind);
    fprintf(stderr, "pbx-confine: %s: %s\n", argv[optind], strerror(errno));
    return errno == ENOENT ? NOT_THERE : NOT_RUN;
}
