/**
 * Simulated modems with the voice of real ones, as their owners and makers have written it down: what they offer (AT+VSM=?), what they do not
 * answer, and how they leave their sound. No such modem was here.
 */
import { aLaw, muLaw, other, signed, unsigned } from '../../drivers/sim/analog/modem-sound.ts'
import type { VoiceModemQuirks } from '../../drivers/sim/analog/modem.ts'

export interface Chip {
  readonly name: string
  readonly quirks: Partial<VoiceModemQuirks>
  /** Before its first call. */
  readonly duplex: 'full' | 'half'
  /** The format that is selected. */
  readonly selects: string
}

const known: Partial<VoiceModemQuirks> = { codings: [unsigned('1,"UNSIGNED PCM",8,0,8000,0,0')] }

export const chips: readonly Chip[] = [
  { name: 'full duplex, mu-law', quirks: {}, duplex: 'full', selects: '131,8000' },
  { name: 'full duplex, 8 bit linear', quirks: { ...known, shielded: false }, duplex: 'full', selects: '1,8000' },
  { name: 'half duplex', quirks: { fullDuplex: false }, duplex: 'half', selects: '131,8000' },
  {
    name: 'half duplex, listening ends by ESC',
    quirks: { fullDuplex: false, escape: true, endsBy: 'ESC', model: 'Lucent LT V.92' },
    duplex: 'half',
    selects: '131,8000',
  },
  {
    // Its owners: AT+VTR=? is an error to it, AT+VTR works.
    name: 'Conexant CX93001',
    quirks: {
      model: 'CX93001-EIS_V0.2013-V92',
      answersTests: false,
      codings: [
        signed('0,"SIGNED PCM",8,0,8000,0,0'),
        unsigned('1,"UNSIGNED PCM",8,0,8000,0,0'),
        other('129,"IMA ADPCM",4,0,8000,0,0'),
        unsigned('130,"UNSIGNED PCM",8,0,8000,0,0'),
        muLaw('131,"Mu-Law",8,0,8000,0,0'),
        aLaw('132,"A-Law",8,0,8000,0,0'),
        other('133,"14 bit PCM",14,0,8000,0,0'),
      ],
    },
    duplex: 'full',
    selects: '131,8000,0,0',
  },
  {
    // Its list has no bits of their own, it may not lift the line at once, and answers DLE ETX by OK alone.
    name: 'USRobotics 5637',
    quirks: {
      model: 'U.S. Robotics 56K FAX USB V1.2.23',
      answersTests: false,
      leavesBothBy: 'ETX',
      endsBy: 'none',
      liftsLate: true,
      codings: [
        unsigned('128,"8-BIT LINEAR",(7200,8000,11025)'),
        other('129,"16-BIT LINEAR",(7200,8000,11025)'),
        aLaw('130,"8-BIT ALAW",(8000)'),
        muLaw('131,"8-BIT ULAW",(8000)'),
        other('132,"IMA ADPCM",(7200,8000,11025)'),
      ],
    },
    duplex: 'full',
    selects: '131,8000',
  },
  {
    name: 'ESS 2898',
    quirks: {
      codings: [other('0,"SIGNED PCM",16,0,(8000),(127-129),(0-255)'), aLaw('5,"A-Law Companded PCM",8,0,(8000),(127-129),(0-255)')],
    },
    duplex: 'full',
    selects: '5,8000',
  },
  {
    name: 'samples with a sign; rings are told by a code; nothing said of what it can, and one way at a time',
    quirks: { codings: [signed('0,"SIGNED PCM",8,0,8000,0,0')], answersTests: false, fullDuplex: false, ringsByCode: true },
    duplex: 'full',
    selects: '0,8000',
  },
]
