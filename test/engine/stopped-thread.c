/*
 * stopped-thread PID NAME: stops the thread of that name in another process, and that one alone, as a lock that is never given
 * back would. Prints "stopped", "none" (no such thread) or "refused" (the system does not let us), and lets the thread go on
 * at the end of standard input.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t thread_named(const char *process, const char *name) {
  char path[512], comm[64];
  snprintf(path, sizeof path, "/proc/%.20s/task", process);
  DIR *tasks = opendir(path);
  pid_t found = 0;
  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/comm", process, task->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(comm, sizeof comm, file) != NULL && strncmp(comm, name, strlen(name)) == 0) found = atoi(task->d_name);
    fclose(file);
  }
  if (tasks != NULL) closedir(tasks);
  return found;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  const pid_t thread = thread_named(words[1], words[2]);
  const char *said = "none";
  if (thread != 0) {
    const int seized = ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0 && ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0;
    said = seized && waitpid(thread, NULL, __WALL) == thread ? "stopped" : "refused";
  }
  printf("%s\n", said);
  fflush(stdout);
  for (char byte; read(0, &byte, 1) > 0;) continue;
  return 0; /* a traced thread goes on when the tracer ends */
}
