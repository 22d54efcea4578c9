import t from 'tap'
import fc from 'fast-check'
import { normalise } from '../../daemon/speech/speaker.ts'
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
    ['at 15:45', 'at three forty-five P M'],
    ['on 2026-03-05.', 'on March fifth, twenty twenty-six.'],
    ['2026-03-05T14:30:00Z', 'March fifth, twenty twenty-six at two thirty P M'],
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
    [
      'Your appointment is on 11/23 at 2:30 PM with Dr. Lee.',
      'Your appointment is on November twenty-third at two thirty P M with Doctor Lee.',
    ],
    ['Meet on 12/1/26, born 4/5/80.', 'Meet on December first, twenty twenty-six, born April fifth, nineteen eighty.'],
    ['by 4/5 or 13/45', 'by April fifth or thirteen over forty-five'],
    ['99/99/9999 and Feb. 30', 'ninety-nine/ninety-nine/nine thousand nine hundred ninety-nine and Feb. thirty'],
    ['Tues., Nov. 24 at 8:05 a.m.', 'Tuesday, November twenty-fourth at eight oh five A M.'],
    ['Sat down, Sat., 11/28', 'Sat down, Saturday, November twenty-eighth'],
    ['Open 9:00 AM - 5:30 PM, Mon. - Fri.', 'Open nine A M to five thirty P M, Monday to Friday.'],
    ['Open 9am-5pm, or 12:30–1:15 PM', 'Open nine A M to five P M, or twelve thirty to one fifteen P M'],
    ['3-5 pm, 24/7', 'three to five P M, twenty-four seven'],
    ['2026-11-23T14:30:00-05:00', 'November twenty-third, twenty twenty-six at two thirty P M'],
    ['at 00:30 or 12:00 PM', 'at twelve thirty A M or twelve P M'],
    ['call 555-123-4567 ext. 12', 'call five five five, one two three, four five six seven extension one two'],
    ['555.123.4567 x12', 'five five five, one two three, four five six seven extension one two'],
    ['1-800-555-0199, 1-800-FLOWERS', 'one, eight hundred, five five five, zero one nine nine, one, eight hundred, flowers'],
    ['5559870000', 'five five five, nine eight seven, zero zero zero zero'],
    ['+44 20 7946 0958', 'plus four four, two zero, seven nine four six, zero nine five eight'],
    ['Dial 911 or 9-1-1.', 'Dial nine one one or nine one one.'],
    ['Your code is 4471, PIN 0912', 'Your code is four four seven one, PIN zero nine one two'],
    ['Claim # AB-1234, SSN ending in 6789', 'Claim number A B one two three four, SSN ending in six seven eight nine'],
    ['Boston, MA 02139', 'Boston, MA zero two one three nine'],
    ['Room 101, Suite 200, Apt 1250, Suite 4B', 'Room one oh one, Suite two hundred, Apartment twelve fifty, Suite 4B'],
    ['Rm. 12, Bldg. 2, 2nd fl.', 'Room twelve, Building two, second floor.'],
    ['12 Elm St. Please come.', 'twelve Elm Street. Please come.'],
    ['123 Main St is near St. Mary', 'one hundred twenty-three Main Street is near Saint Mary'],
    ['$5 million, $20-$30, $1.05/mo', 'five million dollars, twenty dollars to thirty dollars, one dollar and five cents per month'],
    ['take 1/2 or 2 1/2 tablets', 'take one half or two and a half tablets'],
    ['BP 120/80, 98.6°F', 'BP one hundred twenty over eighty, ninety-eight point six degrees Fahrenheit'],
    ['10-15 mins, ages 5-12', 'ten to fifteen minutes, ages five to twelve'],
    ['between 3-4 visits', 'between three and four visits'],
    ['1 mg, 1.5 mL, 250 mcg, 8 oz. of', 'one milligram, one point five milliliters, two hundred fifty micrograms, eight ounces of'],
    ['5\'10" and 6 ft 2 in', 'five feet ten inches and six feet two inches'],
    ['-5, ~5 lbs', 'minus five, about five pounds'],
    ['Jane Doe, R.N., by U.S. Mail', 'Jane Doe, R N, by U S Mail'],
    ['Press # or *.', 'Press pound or star.'],
    ['w/ or w/o COVID-19', 'with or without COVID nineteen'],
    ['https://clinic.example.org/book?id=5.', 'clinic dot example dot org slash book.'],
    ['www.example.com', 'w w w dot example dot com'],
    ['in 2010 and 1999', 'in twenty ten and nineteen ninety-nine'],
    ['1,000.5 and $12.5', 'one thousand point five and twelve dollars and fifty cents'],
    ['A — b – c … d', 'A, b, c... d'],
  ]
  for (const [text, words] of cases) t.equal(normalise(text, 'en-US').replaceAll(' ,', ','), words, text)
  t.equal(normalise('03/05/2026', 'en-GB'), 'May third, twenty twenty-six')
  t.equal(normalise('23/11 at 15:45', 'en-GB'), 'November twenty-third at fifteen forty-five')
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
  const texts = (text: string, early?: boolean) => splitSentences(text, early).map((piece) => piece.text)
  const welcome = 'Thank you for calling the North Valley Family Clinic, we are open today from nine to five, please listen.'
  t.strictSame(texts(welcome), [welcome], 'a quick engine says it in one breath')
  t.strictSame(texts(`${welcome} ${welcome}`, true), [
    'Thank you for calling the North Valley Family Clinic,',
    'we are open today from nine to five, please listen.',
    welcome,
  ])
  for (const whole of [
    'Your appointment with Doctor Lee is on Friday March fifth, twenty twenty-six at three P M.',
    'You can reach us at any time of the day at five five five, one two three, four five six seven.',
    'A sentence of more than sixty characters that has no comma anywhere in it at all.',
  ]) {
    t.strictSame(texts(whole, true), [whole], 'nowhere inside a number')
  }
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

t.test('hostile texts cost little', async (t) => {
  const repeated = [
    'a.',
    '1',
    '1,',
    '$',
    '1-',
    'a@',
    '(555) ',
    'Mon-',
    'A.',
    ' ',
    '1/2',
    "5'",
    '12:30-',
    '+1 ',
    '<',
    '<a',
    '</',
    '<a b="',
    '&',
    '<speak>',
    '<p>',
    '<!--',
    '<break time="10s"/>',
  ]
  const aMinuteMs = 60_000
  for (const part of repeated) {
    for (const text of [part.repeat(4096 / part.length), `<speak>${part.repeat(4080 / part.length)}`]) {
      const before = process.cpuUsage()
      const { segments } = parseSsml(text, 'en-US')
      for (const segment of segments) if (segment.kind === 'text') splitSentences(normalise(segment.text, 'en-US'), true)
      const spentMs = process.cpuUsage(before).user / 1000
      // A few ms; what grows with the square of its length takes minutes.
      t.ok(spentMs < aMinuteMs, `${part}: ${Math.round(spentMs)} ms of the processor`)
      const silence = segments.reduce((sum, segment) => sum + (segment.kind === 'pause' ? segment.ms : 0), 0)
      t.ok(silence <= 60_000, `${part}: ${silence} ms of silence`)
    }
  }
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
