/* Build-time settings of PJSIP for pbx-engine. The engine is compiled with the same file: struct layouts depend on it. */
#define PJ_HAS_IPV6 1
#define PJ_IOQUEUE_MAX_HANDLES 4096
#define PJ_ENABLE_EXTRA_CHECK 1
/* Our own host name is never looked up: a dead DNS server would stall the first call for seconds. */
#define PJ_GETHOSTIP_DISABLE_LOCAL_RESOLUTION 1
#define PJSIP_MAX_TSX_COUNT 65535
#define PJSIP_MAX_DIALOG_COUNT 65535
#define PJSIP_MAX_PKT_LEN 8000
#define PJSIP_MAX_URL_SIZE 512
#define PJSIP_UDP_SO_SNDBUF_SIZE (2 * 1024 * 1024)
#define PJSIP_UDP_SO_RCVBUF_SIZE (2 * 1024 * 1024)
#define PJSUA_MAX_CALLS 512
#define PJSUA_MAX_ACC 128
#define PJSUA_MAX_CONF_PORTS 1026
#define PJMEDIA_HAS_VIDEO 0
#define PJSUA_HAS_VIDEO 0
#define PJMEDIA_HAS_SRTP 1
#define PJMEDIA_SRTP_HAS_DTLS 0
#define PJMEDIA_ADVERTISE_RTCP 1
