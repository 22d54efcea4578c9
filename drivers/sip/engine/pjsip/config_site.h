/* Build-time settings of PJSIP for pbx-engine. The engine is compiled with the same file: struct layouts depend on it. */
#define PJ_HAS_IPV6 1
/* Sockets of an event queue where nobody says how many: SIP has PJSIP_MAX_TRANSPORTS, media as many as there may be calls
   (sip/packet_thread.cc). Costs 1 kB each, used or not. */
#define PJ_IOQUEUE_MAX_HANDLES 1100
/* One thread reads an event queue. PJSIP's guess is many, for whom EPOLLEXCLUSIVE costs two calls of the kernel where one does. */
#define PJ_IOQUEUE_DEFAULT_EPOLL_FLAGS 0
#define PJ_IOQUEUE_MAX_CAND_EVENTS 64
#define PJ_IOQUEUE_MAX_EVENTS_IN_SINGLE_POLL 64
#define PJSIP_MAX_TRANSPORTS 1024
/* Connections that wait to be accepted, of the TCP and of the TLS listener. */
#define PJSIP_TCP_TRANSPORT_BACKLOG 128
#define PJ_SOMAXCONN 128
#define PJ_ENABLE_EXTRA_CHECK 1
/* Our own host name is never looked up: a dead DNS server would stall the first call for seconds. */
#define PJ_GETHOSTIP_DISABLE_LOCAL_RESOLUTION 1
#define PJSIP_MAX_TSX_COUNT 32767
#define PJSIP_MAX_DIALOG_COUNT 32767
#define PJSIP_MAX_PKT_LEN 8000
#define PJSIP_MAX_URL_SIZE 512
/* The buffer of a message would be rounded up to the next multiple of 4000. */
#define PJSIP_POOL_INC_TDATA 1000
#define PJSIP_UDP_SO_SNDBUF_SIZE (2 * 1024 * 1024)
#define PJSIP_UDP_SO_RCVBUF_SIZE (2 * 1024 * 1024)
/* The most that `calls` can ask for, and what is kept beyond that (sip/room.h). Slots are made at the start, as many as are configured; most of
   a slot is its media lines, of which a telephone call has one. */
#define PJSUA_MAX_CALLS 1032
#define PJMEDIA_MAX_SDP_MEDIA 8
/* A trunk has one, a trunk that was taken out of the configuration keeps its own while it carries calls, and phones have three. */
#define PJSUA_MAX_ACC 128
#define PJSUA_MAX_CONF_PORTS 1034
/* The longest packet we send is 60 ms of G.711, 480 bytes, with its headers and SRTP; a call has seven buffers of this size. */
#define PJMEDIA_MAX_MTU 640
#define PJMEDIA_HAS_VIDEO 0
#define PJSUA_HAS_VIDEO 0
#define PJMEDIA_HAS_SRTP 1
#define PJMEDIA_SRTP_HAS_DTLS 0
#define PJMEDIA_ADVERTISE_RTCP 1
/* What nearly everybody uses: gateways that send 101 whatever was offered are understood (RFC 3264 6.1 asks for the offered type). */
#define PJMEDIA_RTP_PT_TELEPHONE_EVENTS 101
/* Where media is sent follows what our own transport says (sip/media_path.cc); nobody else's packets move it. */
#define PJMEDIA_TRANSPORT_SWITCH_REMOTE_ADDR 1
#define PJMEDIA_RTP_NAT_PROBATION_CNT 0x7FFFFFFF
#define PJMEDIA_RTCP_NAT_PROBATION_CNT 0x7FFFFFFF
/* G.722 has 14-bit samples in 16; the rest of the world shifts by one (ITU-T G.191, spandsp), PJMEDIA by two: 6 dB wrong each way. */
#define PJMEDIA_G722_DEFAULT_PCM_SHIFT 1
/* A loud syllable must not change the level for the rest of the call. */
#define PJMEDIA_G722_STOP_PCM_SHIFT_ON_CLIPPING 0
