/** Which form of samples is taken of what modems offer, as their owners and makers have written it down; and G.711 both ways. */
import fc from 'fast-check'
import t from 'tap'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '../../drivers/g711.ts'
import { chooseFormat } from '../../drivers/modem/voice/formats.ts'
import { alawToLinear } from '../harness/audio.ts'

const offers: readonly { readonly of: string; readonly lines: readonly string[]; readonly taken: readonly [number, string] | null }[] = [
  {
    of: 'Conexant SmartDAA',
    lines: ['0,"SIGNED PCM",8,0,8000,0,0', '1,"UNSIGNED PCM",8,0,8000,0,0', '131,"Mu-Law",8,0,8000,0,0', '133,"14 bit PCM",14,0,8000,0,0'],
    taken: [131, 'mu-law'],
  },
  {
    of: 'Conexant, host-processed',
    lines: ['1,"UNSIGNED PCM",8,0,(7200,8000),(0),(0)', '131,"ULAW",8,0,(7200,8000),(0),(0)', '133,"LINEAR",16,0,(7200,8000),(0),(0)'],
    taken: [131, 'mu-law'],
  },
  {
    of: 'Conexant, early: no law',
    lines: ['1,"UNSIGNED PCM",8,0,8000,0,0', '129,"IMA ADPCM",4,0,8000,0,0', '140,"2 Bit ADPCM",2,0,8000,0,0'],
    taken: [1, '8 bit linear'],
  },
  {
    of: 'USRobotics 5637, Multi-Tech 5634, Lucent: no bits of their own',
    lines: [
      '128,"8-BIT LINEAR",(7200,8000,11025)',
      '129,"16-BIT LINEAR",(7200,8000,11025)',
      '130,"8-BIT ALAW",(8000)',
      '131,"8-BIT ULAW",(8000)',
    ],
    taken: [131, 'mu-law'],
  },
  { of: 'the same without laws', lines: ['128,"8-BIT LINEAR",(7200,8000,11025)', '132,"IMA ADPCM",(8000)'], taken: [128, '8 bit linear'] },
  { of: 'the same with 16 bits alone', lines: ['129,"16-BIT LINEAR",(7200,8000,11025)'], taken: [129, '16 bit linear'] },
  {
    of: 'ESS',
    lines: ['0,"SIGNED PCM",16,0,(8000),(127-129),(0-255)', '5,"A-Law Companded PCM",8,0,(8000),(127-129),(0-255)'],
    taken: [5, 'A-law'],
  },
  {
    of: 'Silicon Laboratories',
    lines: ['0,"SIGNED PCM",8,0,8000,0,0', '4,"G.711U",8,0,8000,0,0', '129,"G.726",2,0,8000,0,0'],
    taken: [4, 'mu-law'],
  },
  { of: 'a sign', lines: ['0,"SIGNED PCM",8,0,(8000),(0),(0)'], taken: [0, '8 bit linear, signed'] },
  { of: 'a name in front', lines: ['+VSM: 1,"UNSIGNED PCM",8,0,(7200-11025),0,0'], taken: [1, '8 bit linear'] },
  { of: 'ZyXEL', lines: ['1;CELP;1;0;(9600)', '2;ADPCM;2;0;(9600)'], taken: null },
  { of: '12 bits', lines: ['128,"SIGNED PCM",12,0,(7200-8000,11025),(127-129),(0-50)'], taken: null },
  { of: 'another rate', lines: ['1,"UNSIGNED PCM",8,0,(7200,11025),0,0'], taken: null },
  { of: 'nothing', lines: [], taken: null },
]

t.test('what is taken', async (t) => {
  for (const { of, lines, taken } of offers) {
    const format = chooseFormat(lines)
    t.same(format === null ? null : [format.number, format.name], taken, of)
  }
})

t.test('silence and loud samples keep their size and sign in every form', async (t) => {
  for (const line of [
    '1,"UNSIGNED PCM",8,0,8000',
    '0,"SIGNED PCM",8,0,8000',
    '4,"G711U",8,0,8000',
    '5,"G711A",8,0,8000',
    '3,"LINEAR",16,0,8000',
  ]) {
    const format = chooseFormat([line])!
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 40 }), (all) => {
        const back = format.decode(format.encode(Int16Array.from(all)))
        return all.every((sample, i) => Math.abs(back[i]! - sample) <= 256 + Math.abs(sample) / 16)
      }),
    )
    t.ok(Math.abs(format.decode(format.encode(new Int16Array(1)))[0]!) <= 8, line)
  }
})

t.test('each byte of G.711 comes back as it was; A-law as another has it', async (t) => {
  const all = Uint8Array.from({ length: 256 }, (_, code) => code)
  t.same([...encodeMuLaw(decodeMuLaw(all))], [...all])
  t.same([...encodeALaw(decodeALaw(all))], [...all])
  t.same([...decodeALaw(all)], [...all].map(alawToLinear))
})
