/** Words by which people leave and join again, as they are typed. */
import fc from 'fast-check'
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { Keywords } from '../../daemon/messaging/keywords.ts'

const runs = Number(process.env['SMS_RUNS'] ?? 300)
const { optOutWords } = parseConfig('{}', '/srv/pbx/pbxd.yaml').config.sms
const english = new Keywords(optOutWords)
const spanish = new Keywords(optOutWords, ['es-US'])

/** What a text means, as one word: `+` for one that ends texts, `?` for one that a person has to look at. */
function meaning(body: string, keywords = english): string {
  const { keyword = '', optOut, unsure } = keywords.judge(body)
  return `${keyword}${optOut ? '+' : ''}${unsure ? '?' : ''}`
}

t.test('what people write, and what it means', async (t) => {
  const table: readonly (readonly [meaning: string, ...bodies: string[]])[] = [
    ['STOP+', 'STOP', 'stop', '  Stop.\n', '"STOP"', '**STOP!!**', '¡Stop!', '(stop)', '«Stop»', 'Stop?', 'ＳＴＯＰ', '𝐒𝐓𝐎𝐏', 'Śtöp'],
    ['STOP+', 'S T O P', 'S.T.O.P.', 's-t-o-p', 'STOP ALL', 'StopAll', 'stop-all', 'STOPALL!'],
    [
      'STOP+',
      'unsubscribe',
      'Un-subscribe',
      'quit',
      'REVOKE',
      'Revoke.',
      'OPTOUT',
      'opt out',
      'Opt-Out',
      'OPT  OUT!',
      'opt - out',
      'opt_out',
    ],
    ['STOP+', 'STOP\u200b', 'STOP\ufe0f', '\u2068STOP\u2069', '\u202aSTOP\u202c', '\u200eSTOP', 'ST\u00adOP', '\ufeffSTOP', 'STOP\u0000'],
    ['STOP+', 'STOP STOP', 'stop stop stop!', 'Stop, stop', 'STOP\ud83d', '\ude4fSTOP', 'quit quit'],
    ['STOP+', 'STOP 🛑', '🙏STOP🙏', '🛑🛑 stop', 'STOP 👩🏽‍⚕️', 'Stop :)', 'STOP!!! 😡'],
    [
      'STOP+',
      'Stop. Thank you',
      'STOP! I do not want these.',
      'Stop… please',
      'stop; thanks',
      'Stop 🙏 thank you',
      'STOP\nI am no patient of yours',
    ],
    [
      'STOP+',
      'STOP\n-- \nMaria Lopez',
      'STOP\r\nSent from my iPhone',
      'Stop. Sent from my Galaxy',
      'STOP Sent from my iPhone',
      'STOP - Maria',
      'STOP -ML',
    ],
    ['CANCEL+', 'Cancel', 'CANCEL.', 'cancel!', 'Cancel. Thank you'],
    ['END+', 'END', 'End.', 'e n d'],
    ['START', 'START', 'start', 'Start.', 'unstop', 'UN-STOP', '\u2068Start\u2069', 'Start. Sorry!', 'ＳＴＡＲＴ'],
    ['HELP', 'Help?', 'HELP', 'help!', 'INFO', 'Help. Who is this?'],
    // Sentences of patients, and words that only look alike.
    [
      '',
      'please stop by at 9',
      'stop by tomorrow?',
      'Stop at the pharmacy',
      'nonstop',
      'STOPPED',
      'It will not stop bleeding',
      'I had to quit smoking',
    ],
    [
      '',
      'Can you end my appointment?',
      'cancel my appointment tomorrow',
      'Can you cancel my 3 pm?',
      'The end of the week is fine',
      'I want to cancel. Sorry',
    ],
    [
      '',
      'Help me please',
      'When can I start?',
      'start date?',
      'information',
      'yes',
      'Yes.',
      '',
      ' ',
      '2',
      'constructor',
      '__proto__',
      '!'.repeat(10_000),
    ],
    ['', 'Weekend', 'send', 'I will be there at the end', 'This is an emergency'],
    // Asked in other words: nothing changes, and somebody looks.
    [
      '?',
      'please stop',
      'Pls stop!',
      'STOP, please',
      'stop please',
      'stop texting me',
      'Please stop sending these',
      'STOP 2',
      'I want to unsubscribe',
    ],
    [
      '?',
      'take me off this list',
      'Remove me',
      "don't text me",
      'No more texts please',
      'wrong number',
      'do not contact me again',
      'I opt out of this',
    ],
    [
      '?',
      'Hi, stop',
      'ok stop',
      'Hello. STOP',
      'Reply STOP',
      'Re: STOP',
      'STOP THX',
      'STOP, Ann Lee',
      'Stop (Ann)',
      'STOP msgs',
      'STOP1 STOP',
    ],
    [
      '?',
      '2 STOP',
      'opt me out',
      'stop2quit',
      'Lose my number',
      'STOP1',
      'stop your texts',
      'Stop reminders',
      'STOPP',
      'Unsub',
      'UNSUBCRIBE',
      'unsubscribed',
      'Revoked',
      'remove',
      'cancel all',
    ],
    ['', 'When do I stop taking it?', 'stop taking ibuprofen', 'Stop in today?', 'It stopped', 'remove stitches', 'subway', 'quit smoking'],
  ]
  for (const [wanted, ...bodies] of table) for (const body of bodies) t.equal(meaning(body), wanted, JSON.stringify(body.slice(0, 40)))
})

t.test("words of the site's languages, and of the configuration", async (t) => {
  for (const word of ['ALTO', 'Parar.', '¡Pare!', 'DETENER', 'Baja', 'darse de baja', 'No más', 'NO MAS. Gracias', 'Détener'])
    t.same([meaning(word, spanish), meaning(word)], ['STOP+', ''], word)
  t.same(
    ['Cancelar', 'FIN'].map((word) => meaning(word, spanish)),
    ['CANCEL+', 'END+'],
  )
  t.same(
    ['Ayuda', '¿Ayuda?', 'Iniciar'].map((word) => meaning(word, spanish)),
    ['HELP', 'HELP', 'START'],
  )
  t.equal(meaning('stop', spanish), 'STOP+', 'English everywhere')
  for (const body of ['¿A qué hora es la baja?', 'alto ahí en la puerta', 'pare de fumar', 'No puedo parar de toser'])
    t.equal(meaning(body, spanish), '', body)
  const own = new Keywords(['Leave us', 'détener'])
  t.same(
    ['leave us', 'LEAVE-US!', 'leaveus', 'detener', 'Détener.'].map((word) => meaning(word, own)),
    Array(5).fill('STOP+'),
    'several words',
  )
  t.same([meaning('stop', own), meaning('cancel', own)], ['?', 'CANCEL'], 'and no others: somebody looks')
})

t.test('what may be configured', async (t) => {
  const words = (list: readonly string[]): unknown => {
    try {
      return parseConfig(JSON.stringify({ sms: { optOutWords: list } }), '/srv/pbx/pbxd.yaml').config.sms.optOutWords
    } catch {
      return 'refused'
    }
  }
  for (const list of [['OPT OUT'], ['opt-out'], ['NO MÁS'], ["don't text"]]) t.same(words(list), list, list[0]!)
  for (const list of [[], ['2'], [' stop'], ['x'], ['a'.repeat(60)]]) t.equal(words(list), 'refused', JSON.stringify(list).slice(0, 30))
})

t.test('property: how a word is written never changes what it means', async () => {
  const invisible = fc.constantFrom(
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\ufe0f',
    '\u00ad',
    '\u200e',
    '\u200f',
    '\u2066',
    '\u2069',
    '\u0301',
    '\u034f',
    '\u20e3',
  )
  const before = fc.constantFrom(' ', '\n', '"', '“', '¡', '(', '*', '🙏', '🛑', '…', '- ', '\t', '\u00a0', '‘')
  const behind = fc.constantFrom(' ', '\n', '"', '”', '!', '.', ')', '*', '🙏', '❤️', '…', '?', '\u3000', '’', '。')
  const ending = fc.constantFrom('', '\nSent from my iPhone', '. Thank you', '\n\n-- \nDr. Jane Roe, 555-123-0001', '! bye', ' 🙏 gracias')
  const forms = fc.constantFrom(
    (text: string) => text.toLowerCase(),
    (text: string) => text.toUpperCase(),
    (text: string) => [...text].map((one) => (/[A-Za-z]/.test(one) ? String.fromCodePoint(one.codePointAt(0)! + 0xfee0) : one)).join(''),
    (text: string) => text.normalize('NFD'),
  )
  const word = fc.constantFrom(
    'stop',
    'stop all',
    'opt out',
    'opt-out',
    'unsubscribe',
    'quit',
    'revoke',
    'end',
    'cancel',
    'start',
    'help',
    'alto',
    'darse de baja',
  )
  fc.assert(
    fc.property(
      word,
      forms,
      fc.array(fc.tuple(fc.nat(30), invisible), { maxLength: 5 }),
      fc.array(before, { maxLength: 4 }),
      fc.array(behind, { maxLength: 4 }),
      ending,
      (plain, form, hidden, start, end, tail) => {
        let written = form(plain)
        for (const [at, mark] of hidden) {
          const letters = [...written]
          letters.splice(Math.min(letters.length, at + 1), 0, mark)
          written = letters.join('')
        }
        return meaning(`${start.join('')}${written}${end.join('')}${tail}`, spanish) === meaning(plain, spanish)
      },
    ),
    { numRuns: runs },
  )
})
