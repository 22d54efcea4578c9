/**
 * Why the signals of calls and requests are aborted, for `abort()`. One for all: for an abort without a reason the platform makes one of
 * its own, with a stack, and in a call there are ten.
 */
export const abortReason = new DOMException('Aborted', 'AbortError')
