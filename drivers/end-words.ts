/** How a call ended, in words of which it is known whose they are. */
import type { LegEnd } from './line.ts'

/** Reason phrases of RFC 3261 21, and those of PJSIP. */
const phrases: ReadonlySet<string> = new Set(
  (
    'Unauthorized,Payment Required,Forbidden,Not Found,Method Not Allowed,Not Acceptable,Not Acceptable Here,Proxy Authentication Required,' +
    'Request Timeout,Request Terminated,Request Pending,Gone,Bad Request,Unsupported URI Scheme,Unsupported Media Type,Bad Extension,' +
    'Extension Required,Interval Too Brief,Temporarily Unavailable,Call/Transaction Does Not Exist,Loop Detected,Too Many Hops,Address Incomplete,' +
    'Ambiguous,Busy Here,Busy Everywhere,Does Not Exist Anywhere,Bad Gateway,Server Internal Error,Internal Server Error,Not Implemented,' +
    'Service Unavailable,Server Time-out,Server Timeout,Version Not Supported,Message Too Large,Decline,Declined,OK,Normal call clearing,' +
    'Multiple Choices,Moved Permanently,Moved Temporarily,Use Proxy'
  ).split(','),
)

/** Other words of the far end are quoted, which shows where they come from; logs leave them out. */
export function phraseOf(reason: string): string {
  return reason === '' || phrases.has(reason) ? reason : `"${reason.replaceAll('"', "'")}"`
}

/** The words of the far end as a value between quotes, those of this side as they are; '' where there are none. */
export function endWords({ by, text }: Pick<LegEnd, 'by' | 'text'>): string {
  return by === 'remote' ? phraseOf(text) : text
}
