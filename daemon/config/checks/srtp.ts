/** SRTP's keys travel in the signalling (SDES, RFC 4568): whoever reads that can listen. They belong into TLS only. */
import type { Config } from '../../schema/config.ts'
import type { MeaningContext } from '../meaning.ts'

export function checkSrtp({ trunks, extensions, sip }: Config, { fault }: MeaningContext): void {
  trunks.forEach(({ srtp, transport, srtpInClear }, index) => {
    if (srtp === 'off' || transport === 'tls' || srtpInClear) return
    const text = `srtp: ${srtp} over ${transport} sends its keys where anybody on the way can read them; write transport: tls, or srtpInClear: true where that is meant`
    fault(['trunks', index, 'srtp'], text)
  })
  extensions.forEach(({ srtp, srtpInClear }, index) => {
    if (srtp === 'auto' || srtp === 'off' || sip.tls !== undefined || srtpInClear) return
    const text = `srtp: ${srtp} without sip.tls sends its keys where anybody on the network can read them; set sip.tls up, or write srtpInClear: true where that is meant`
    fault(['extensions', index, 'srtp'], text)
  })
}
