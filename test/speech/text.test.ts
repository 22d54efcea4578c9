import t from 'tap'
import fc from 'fast-check'
import { normalise } from '../../daemon/speech/normalise.ts'
import { splitSentences } from '../../daemon/speech/sentences.ts'
import { isSsml, parseSsml } from '../../daemon/speech/ssml.ts'

t.test('English text is put into words once, before any engine', async (t) => {
  const cases: [string, string][] = [
    ['Call 555-987-0000.', 'Call five five five, nine eight seven, zero zero zero zero.'],
    ['Call (555) 987-0000 now', 'Call five five five, nine eight seven, zero zero zero zero now'],
    ['+15559870000', 'plus one, five five five, nine eight seven, zero zero zero zero'],
    ['+1 555 987 0000', 'plus one, five five five, nine eight seven, zero zero zero zero'],
    ['Dial 555-0123', 'Dial five five five, zero one two three'],
    ['at 3:30 PM on Monday', 'at three thirty P M on Monday'],
    ['at 3:05 p.m. Please come.', 'at three oh five P M. Please come.'],
    ['at 10 a.m. with', 'at ten A M with'],
    ['at 3:00 pm', 'at three P M'],
    ['at 15:45', 'at fifteen forty-five'],
    ['on 2026-03-05.', 'on March fifth, twenty twenty-six.'],
    ['2026-03-05T14:30:00Z', 'March fifth, twenty twenty-six at fourteen thirty'],
    ['03/05/2026', 'March fifth, twenty twenty-six'],
    ['March 5, 2026', 'March fifth, twenty twenty-six'],
    ['on Mar. 5th at noon', 'on March fifth at noon'],
    ['on 5 March 2026', 'on March fifth, twenty twenty-six'],
    ['You owe $125.00.', 'You owe one hundred twenty-five dollars.'],
    ['You owe $1,250.50, due', 'You owe one thousand two hundred fifty dollars and fifty cents, due'],
    ['$0.01 or $1', 'one cent or one dollar'],
    ['£3.20', 'three pounds and twenty pence'],
    ['Dr. Smith on Elm Dr.', 'Doctor Smith on Elm Drive'],
    ['12 St. James St., Apt. 4', 'twelve Saint James Street, Apartment four'],
    ['Mr. and Mrs. Lee vs. Dr Who', 'Mister and Missus Lee versus Doctor Who'],
    ['Press 1 for sales, press 2.', 'Press one for sales, press two.'],
    ['5% of 1,200 and 3.5', 'five percent of one thousand two hundred and three point five'],
    ['your 2nd visit, 21st', 'your second visit, twenty-first'],
    ['code 0042 and 123456789', 'code zero zero four two and one two three four five six seven eight nine'],
    ['since 1999', 'since nineteen ninety-nine'],
    ['take 20 mg', 'take twenty milligrams'],
    ['Room 4B & A12', 'Room 4B and A12'],
    ['No. 5 and #3', 'number five and number three'],
    ['ann.lee@example.com', 'ann dot lee at example dot com'],
    ['a\u0000b\n\n c', 'a b c'],
  ]
  for (const [text, words] of cases) t.equal(normalise(text, 'en-US').replaceAll(' ,', ','), words, text)
  t.equal(normalise('03/05/2026', 'en-GB'), 'May third, twenty twenty-six')
  t.equal(normalise('Um  15:30 Uhr, $5', 'de-DE'), 'Um 15:30 Uhr, $5')
})

t.test('any text comes through normalising and cutting without error, and nothing but white space is lost', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), (text) => {
      normalise(text, 'en-US')
      parseSsml(`<speak>${text}`, 'en-US')
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word', 'Dr', 'a', ',', ';', '. ', '! ', ' ', '3.5', 'longishword', '？'), { maxLength: 200 }),
      (parts) => {
        const text = parts.join(' ')
        const letters = (value: string): string => value.replace(/[^\p{L}\p{N}]/gu, '')
        const pieces = splitSentences(text)
        if (letters(pieces.map((piece) => piece.text).join('')) !== letters(text)) throw new Error(`lost: ${text}`)
        if (pieces.some((piece) => piece.text.length > 290)) throw new Error('too long')
      },
    ),
    { numRuns: 300 },
  )
})

t.test('sentences are cut at their ends, and a long first one at a comma', async (t) => {
  t.strictSame(
    splitSentences('Hello. How are you? Fine!').map((piece) => piece.text),
    ['Hello.', 'How are you?', 'Fine!'],
  )
  t.strictSame(splitSentences('Ask J. Smith.').length, 1)
  t.strictSame(
    splitSentences('Thank you for calling the North Valley Family Clinic, we are open today from nine to five, please listen.').map(
      (p) => p.text,
    ),
    ['Thank you for calling the North Valley Family Clinic,', 'we are open today from nine to five, please listen.'],
  )
  t.strictSame(splitSentences('...'), [])
  t.equal(splitSentences('Hello. You.').at(-1)?.pauseMs, 0)
})

t.test('SSML: pauses, emphasis, ways of reading; the rest is stripped', async (t) => {
  const read = (inner: string) => parseSsml(`<speak>${inner}</speak>`, 'en-US')
  const text = (inner: string): string =>
    read(inner)
      .segments.map((s) => (s.kind === 'text' ? s.text.trim() : `[${s.ms}]`))
      .join('|')
  t.ok(isSsml('  <speak version="1.0">x</speak>'))
  t.notOk(isSsml('I speak <now>'))
  t.equal(text('a<break time="1.5s"/>b<break/>c<break strength="strong"></break>d'), 'a|[1500]|b|[400]|c|[700]|d')
  t.equal(text('<p><s>One.</s><s>Two.</s></p><p>Three.</p>'), 'One.|[350]|Two.|[500]|Three.')
  t.equal(text('<sub alias="World Wide Web">WWW</sub> site'), 'World Wide Web  site')
  t.equal(text('Pin <say-as interpret-as="digits">407</say-as>.'), 'Pin  four zero seven.')
  t.equal(text('<say-as interpret-as="characters">A-1</say-as>'), 'A, dash, one')
  t.equal(text('<say-as interpret-as="telephone">555-987-0000</say-as>'), 'five five five, nine eight seven, zero zero zero zero')
  t.equal(text('<say-as interpret-as="date" format="dmy">5/3/2026</say-as>'), 'March fifth, twenty twenty-six')
  t.equal(text('<say-as interpret-as="time">3:30pm</say-as>'), 'three thirty P M')
  t.equal(
    text('<say-as interpret-as="ordinal">42</say-as> <say-as interpret-as="cardinal">1,042</say-as>'),
    'forty-second one thousand forty-two',
  )
  t.match(read('<prosody rate="slow" volume="soft">x</prosody><emphasis level="strong">y</emphasis>').segments, [
    { text: 'x', rate: 0.75, gainDb: -6 },
    { text: 'y', rate: 0.85, gainDb: 3 },
  ])
  t.equal(text('Fish &amp; chips &#233; <!-- no --><![CDATA[a<b]]>'), 'Fish & chips é a<b')
  t.match(read('<voice name="x">hi</voice>'), { segments: [{ text: 'hi' }], warnings: [/<voice> is not understood/] })
})

t.test('broken SSML is spoken without its markup, with a warning', async (t) => {
  for (const broken of [
    '<speak>Hi <b there',
    '<speak>Hi <break time="1s" there</speak>',
    '<speak><p>Hi there',
    '<speak>Hi</p> there</speak>',
    '<speak>Hi < there</speak>',
  ]) {
    const { segments, warnings } = parseSsml(broken, 'en-US')
    t.match(segments.map((s) => (s.kind === 'text' ? s.text : '')).join(''), /Hi/, broken)
    t.ok(warnings.length > 0, warnings.join())
  }
})
