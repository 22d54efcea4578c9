/**
 * How long a fax takes on the wire, known before it is dialled. The constants are of ECM calls at 14,400 bit/s with T.6 over a
 * line without delay: the time over the bytes of ITU-T's eight charts is a straight line within 2 %.
 */

/** From the answer to the first page, and from the last page to the end: CED, DIS, DCS, training check, CFR, DCN. */
const callSeconds = 12.5
/** Per page: carrier, PPS, MCF and the turns between. */
const pageSeconds = 3.8
/** ECM sends at most 256 frames of 256 bytes at once; each further block of a page is confirmed on its own. */
const blockBytes = 65_536
const blockSeconds = 2.6
/** HDLC: address, control, number and check of each frame, and stuffed bits. */
const framing = 1.06

/** Seconds from answer to hang-up, without dialling and ringing, if nothing has to be repeated. `bitRate` in bit/s. */
export function wireSeconds(bytesPerPage: readonly number[], bitRate = 14_400): number {
  let seconds = callSeconds
  for (const bytes of bytesPerPage) {
    const furtherBlocks = Math.max(0, Math.ceil(bytes / blockBytes) - 1)
    seconds += pageSeconds + furtherBlocks * blockSeconds + (bytes * 8 * framing) / bitRate
  }
  return seconds
}
