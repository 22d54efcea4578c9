/*
 * masquerade: gives this network namespace a rule that everything it forwards bears its own address, as a clinic's router has
 * (nft add rule nat out masquerade), without the nft program. Exit code 0 when the kernel took it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static char buffer[4096];
static size_t used;

static size_t begin(unsigned type, unsigned flags, unsigned family, unsigned resource) {
  const size_t at = used;
  struct nlmsghdr *message = (struct nlmsghdr *)(buffer + at);
  struct nfgenmsg *head = NLMSG_DATA(message);
  message->nlmsg_type = type;
  message->nlmsg_flags = NLM_F_REQUEST | flags;
  message->nlmsg_seq = (unsigned)at + 1;
  head->nfgen_family = family;
  head->res_id = htons(resource);
  used += NLMSG_SPACE(sizeof *head);
  return at;
}

static void end(size_t at) {
  ((struct nlmsghdr *)(buffer + at))->nlmsg_len = used - at;
}

static size_t attribute(unsigned type, const void *value, size_t size) {
  const size_t at = used;
  struct nlattr *attr = (struct nlattr *)(buffer + at);
  attr->nla_type = type;
  attr->nla_len = NLA_HDRLEN + size;
  if (size > 0) memcpy(buffer + at + NLA_HDRLEN, value, size);
  used += NLA_ALIGN(NLA_HDRLEN + size);
  return at;
}

static void text(unsigned type, const char *value) {
  attribute(type, value, strlen(value) + 1);
}

static void number(unsigned type, unsigned value) {
  const unsigned big = htonl(value);
  attribute(type, &big, sizeof big);
}

static size_t nest(unsigned type) {
  return attribute(type | NLA_F_NESTED, NULL, 0);
}

static void unnest(size_t at) {
  ((struct nlattr *)(buffer + at))->nla_len = used - at;
}

int main(void) {
  const unsigned nft = NFNL_SUBSYS_NFTABLES << 8;
  size_t message = begin(NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  end(message);
  message = begin(nft | NFT_MSG_NEWTABLE, NLM_F_CREATE, NFPROTO_IPV4, 0);
  text(NFTA_TABLE_NAME, "nat");
  end(message);
  message = begin(nft | NFT_MSG_NEWCHAIN, NLM_F_CREATE, NFPROTO_IPV4, 0);
  text(NFTA_CHAIN_TABLE, "nat");
  text(NFTA_CHAIN_NAME, "out");
  size_t hook = nest(NFTA_CHAIN_HOOK);
  number(NFTA_HOOK_HOOKNUM, NF_INET_POST_ROUTING);
  number(NFTA_HOOK_PRIORITY, 100);
  unnest(hook);
  text(NFTA_CHAIN_TYPE, "nat");
  end(message);
  message = begin(nft | NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, NFPROTO_IPV4, 0);
  text(NFTA_RULE_TABLE, "nat");
  text(NFTA_RULE_CHAIN, "out");
  size_t list = nest(NFTA_RULE_EXPRESSIONS), element = nest(NFTA_LIST_ELEM);
  text(NFTA_EXPR_NAME, "masq");
  unnest(nest(NFTA_EXPR_DATA));
  unnest(element);
  unnest(list);
  end(message);
  message = begin(NFNL_MSG_BATCH_END, NLM_F_ACK, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  end(message);

  const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (fd < 0 || sendto(fd, buffer, used, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
    perror("masquerade");
    return 1;
  }
  /* Only what failed is answered, and the end of the batch. */
  char answer[8192];
  const ssize_t size = recv(fd, answer, sizeof answer, 0);
  const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
  const struct nlmsgerr *error = NLMSG_DATA(head);
  if (size < 0 || head->nlmsg_type != NLMSG_ERROR || error->error != 0) {
    fprintf(stderr, "masquerade: %s\n", size < 0 ? strerror(errno) : strerror(-error->error));
    return 1;
  }
  return 0;
}
