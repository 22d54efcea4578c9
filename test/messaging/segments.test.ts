import fc from 'fast-check'
import t from 'tap'
import { splitText } from '../../daemon/messaging/segments.ts'

const runs = Number(process.env['SMS_RUNS'] ?? 500)
const emoji = '😀'

t.test('how many parts a text has', async (t) => {
  const table: [name: string, text: string, encoding: string, parts: number[]][] = [
    ['one character', 'a', 'GSM-7', [1]],
    ['160 of GSM-7', 'a'.repeat(160), 'GSM-7', [160]],
    ['161 of GSM-7', 'a'.repeat(161), 'GSM-7', [153, 8]],
    ['306 of GSM-7', 'a'.repeat(306), 'GSM-7', [153, 153]],
    ['307 of GSM-7', 'a'.repeat(307), 'GSM-7', [153, 153, 1]],
    ['1530 of GSM-7', 'a'.repeat(1530), 'GSM-7', Array<number>(10).fill(153)],
    ['every character of the extension table', '\f^{}\\[~]|€'.repeat(8), 'GSM-7', [80]],
    ['159 and a character that takes two places', `${'a'.repeat(159)}€`, 'GSM-7', [153, 7]],
    ['a character of two places that would be cut', `${'a'.repeat(152)}€${'b'.repeat(10)}`, 'GSM-7', [152, 11]],
    ['all of the basic alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¡ÄÖÑÜ§¿äöñüà', 'GSM-7', [44]],
    ['a small c with cedilla is not in it', 'ç', 'UCS-2', [1]],
    ['70 of UCS-2', 'я'.repeat(70), 'UCS-2', [70]],
    ['71 of UCS-2', 'я'.repeat(71), 'UCS-2', [67, 4]],
    ['670 of UCS-2', 'я'.repeat(670), 'UCS-2', Array<number>(10).fill(67)],
    ['one typographic apostrophe', `It’s ${'a'.repeat(66)}`, 'UCS-2', [67, 4]],
    ['35 pairs', emoji.repeat(35), 'UCS-2', [70]],
    ['a pair that would be cut', `${'я'.repeat(66)}${emoji}${'я'.repeat(10)}`, 'UCS-2', [66, 12]],
    ['half a pair', 'a\ud83d', 'UCS-2', [2]],
  ]
  for (const [name, text, encoding, parts] of table) {
    const split = splitText(text)
    t.equal(split.encoding, encoding, name)
    t.same(
      split.segments.map((segment) => segment.length),
      parts,
      `${name}: ${parts.join(', ')}`,
    )
    t.equal(split.segments.join(''), text.toWellFormed(), `${name}: joined`)
  }
})

t.test('smart encoding makes typography plain where that is all that is in the way', async (t) => {
  const smart = (text: string): string => `${splitText(text, true).encoding} ${splitText(text, true).body}`
  t.equal(smart('“It’s at 10\u00a0–\u00a011…”'), 'GSM-7 "It\'s at 10 - 11..."')
  t.equal(smart('plain'), 'GSM-7 plain')
  t.equal(smart('“Привет”'), 'UCS-2 “Привет”', 'left as it is where it does not help')
  t.equal(splitText('It’s').encoding, 'UCS-2', 'and only when it is asked for')
})

t.test('property: the parts are the body, none is too long, no character is cut, none could hold more', async () => {
  const character = fc.oneof(
    fc.constantFrom('a', 'Z', ' ', '\n', '@', 'é', '€', '{', '~', '\\'),
    fc.constantFrom('я', 'ç', '中', '’', emoji, '👩‍⚕️', '\ud83d'),
  )
  const gsm = fc.array(fc.constantFrom('a', 'é', '€', '[', '^', ' '), { maxLength: 800 })
  const any = fc.array(character, { maxLength: 400 })
  const places = (text: string, encoding: string): number =>
    encoding === 'UCS-2' ? text.length : [...text].reduce((sum, one) => sum + ('\f^{}\\[~]|€'.includes(one) ? 2 : 1), 0)
  fc.assert(
    fc.property(fc.oneof(gsm, any), (characters) => {
      const { body, encoding, segments } = splitText(characters.join(''))
      if (body !== characters.join('').toWellFormed() || segments.join('') !== body) return false
      const [whole, part] = encoding === 'GSM-7' ? [160, 153] : [70, 67]
      if (segments.length === 1) return places(body, encoding) <= whole!
      return segments.every((segment, at) => {
        const next = segments[at + 1]
        const fits = segment !== '' && segment.isWellFormed() && places(segment, encoding) <= part!
        const first = next === undefined ? '' : [...next][0]!
        return fits && (next === undefined || places(segment + first, encoding) > part!)
      })
    }),
    { numRuns: runs },
  )
})
