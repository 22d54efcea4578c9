/**
 * Of a name with several addresses Node tries one after the other and gives each but the last up after 250 ms, for good: over a slow line, or
 * where one packet is lost (the kernel sends the next after a second), no connection comes about if the other address is a dead one of IPv6.
 */
const nodesOwnMs = 250

/** How long an address is tried that is not the last, of `connectMs` for all: half of it, so that the next one has a chance as well. */
export const attemptMs = (connectMs: number): number => Math.max(nodesOwnMs, connectMs / 2)
