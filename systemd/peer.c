/*
 * pbxd-peer: says who is at the other end of a unix socket, since Node cannot ask (SO_PEERCRED, unix(7)). The accepted socket is file
 * descriptor 3. Prints "UID PID NAME" on one line; NAME is the user's name, or the uid where it has none.
 * Exit codes: 0 said, 1 the socket cannot be asked.
 */
#define _GNU_SOURCE
#include <pwd.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(3, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) {
        perror("pbxd-peer");
        return 1;
    }
    const struct passwd *user = getpwuid(peer.uid);
    if (user != NULL && user->pw_name[0] != '\0') printf("%u %d %s\n", peer.uid, peer.pid, user->pw_name);
    else printf("%u %d %u\n", peer.uid, peer.pid, peer.uid);
    return 0;
}
