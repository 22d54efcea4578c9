/* Runs a program as on a kernel without Landlock: its system calls do not exist (ENOSYS). For the attacks on what is confined. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (argc < 2 || filter == NULL) return 2;
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0) != 0 || seccomp_load(filter) != 0) return 3;
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 4;
}
