/* Build-time settings of PJSIP for pbx-engine. The engine is compiled with the same file: struct layouts depend on it. */
#define PJ_HAS_IPV6 1
/* Sockets of one event queue: RTP and RTCP of every call, or all SIP connections. Costs 1 kB each, used or not. */
#define PJ_IOQUEUE_MAX_HANDLES 1536
#define PJSIP_MAX_TRANSPORTS 1024
#define PJ_ENABLE_EXTRA_CHECK 1
/* Our own host name is never looked up: a dead DNS server would stall the first call for seconds. */
#define PJ_GETHOSTIP_DISABLE_LOCAL_RESOLUTION 1
#define PJSIP_MAX_TSX_COUNT 32767
#define PJSIP_MAX_DIALOG_COUNT 32767
#define PJSIP_MAX_PKT_LEN 8000
#define PJSIP_MAX_URL_SIZE 512
#define PJSIP_UDP_SO_SNDBUF_SIZE (2 * 1024 * 1024)
#define PJSIP_UDP_SO_RCVBUF_SIZE (2 * 1024 * 1024)
/* Call slots are made at the start; most of a slot is its media lines, of which a telephone call has one. */
#define PJSUA_MAX_CALLS 400
#define PJMEDIA_MAX_SDP_MEDIA 8
#define PJSUA_MAX_ACC 64
#define PJSUA_MAX_CONF_PORTS 402
#define PJMEDIA_HAS_VIDEO 0
#define PJSUA_HAS_VIDEO 0
#define PJMEDIA_HAS_SRTP 1
#define PJMEDIA_SRTP_HAS_DTLS 0
#define PJMEDIA_ADVERTISE_RTCP 1
/* What nearly everybody uses: gateways that send 101 whatever was offered are understood (RFC 3264 6.1 asks for the offered type). */
#define PJMEDIA_RTP_PT_TELEPHONE_EVENTS 101
