/** The tables of what the box says and writes, and which of them is taken. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { german } from '../../daemon/words/de.ts'
import { english, type Words } from '../../daemon/words/en.ts'
import { spanish } from '../../daemon/words/es.ts'
import { french } from '../../daemon/words/fr.ts'
import { everyPart, fixedSentences, sharedPart, words } from '../../daemon/words/words.ts'

const others: readonly Words[] = [german, spanish, french]

/** How a time or a number is read out is no phrase. Its tests are those of reminder calls. */
const forms = ['tag', 'alarms.time', 'reminderCall.when', 'reminderCall.number']

/** What is the same in English, and is right. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  de: ['notices.body'],
  es: ['alarms.severities.error'],
  fr: ['faxCover.date', 'faxCover.pages', 'faxReceipt.pages'],
}

/** Name of a phrase -> its text, with marks in the places of values; of a phrase that has several forms, all of them. */
function phrasesOf(table: object, path: readonly string[] = []): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const [key, value] of Object.entries(table)) {
    const name = [...path, key].join('.')
    if (forms.includes(name) || key === 'understood') continue
    if (typeof value === 'string') found.set(name, [value])
    else if (typeof value === 'function') found.set(name, formsOf(value as Phrase, name))
    else for (const [inner, texts] of phrasesOf(value as object, [...path, key])) found.set(inner, texts)
  }
  return found
}

type Phrase = (...values: readonly unknown[]) => string

/** Members of one value, each of which may be missing. */
const members = {
  all: { clinic: '‹clinic›', when: '‹when›', date: '‹date›', time: '‹time›' },
  optional: { name: '‹name›', number: '‹number›', service: '‹service›', staff: '‹staff›' },
}

/** With marks in the places of values; with no values where they may be missing; with the numbers that a language may say in another way. */
function formsOf(phrase: Phrase, name: string): string[] {
  if (name === 'reminderCall.opening' || name === 'reminderText') {
    const none = Object.fromEntries(Object.keys(members.optional).map((member) => [member, '']))
    const some = Object.entries(members.optional).map(([member, value]) => ({ ...members.all, ...none, [member]: value }))
    return [{ ...members.all, ...members.optional }, { ...members.all, ...none }, ...some].map((facts) => phrase(facts))
  }
  const numbers = phrase.length === 1 && /^queues\.|^alarms\.said/.test(name) ? [0, 1, 2] : []
  const optOut = phrase('‹0›', '‹1›', true)
  return [phrase('‹0›', '‹1›', '‹2›'), phrase('‹0›', '', false), optOut, ...numbers.map((value) => phrase(value))]
}

const marksOf = (texts: readonly string[]): string[][] => texts.map((text) => [...text.matchAll(/‹\w+›/g)].map(String).toSorted())

t.test('each language has the same phrases, with the same values in them, and none is empty', async (t) => {
  const wanted = phrasesOf(english)
  t.ok(wanted.size > 140, `${wanted.size} phrases`)
  for (const table of others) {
    const found = phrasesOf(table)
    t.same([...found.keys()], [...wanted.keys()], `${table.tag}, in the order of the English table`)
    for (const [name, texts] of wanted) {
      t.same(marksOf(found.get(name)!), marksOf(texts), `${table.tag} ${name}`)
      for (const text of found.get(name)!) t.notMatch(text, /undefined|NaN|\[object|[{}]| {2}|^\s*$/, `${table.tag} ${name}`)
    }
  }
})

t.test('a phrase that a language lacks does not compile, nor one whose values are others', async (t) => {
  // @ts-expect-error the menus have no phrase
  const lacking: Words = { ...german, menus: {} }
  // @ts-expect-error a group has a name, and not a number
  const other: Words = { ...german, groups: { offer: (group: number) => `Ein Anruf für ${group}.` } }
  // @ts-expect-error there is no such phrase
  const more: Words = { ...german, menus: { wrongChoice: 'Diese Auswahl gibt es nicht.', rightChoice: 'Ja.' } }
  t.equal([lacking, other, more].length, 3, 'tsc expects an error in each')
})

t.test('nothing is English in another language, but for words that are the same', async (t) => {
  const wanted = phrasesOf(english)
  for (const table of others) {
    const primary = table.tag.slice(0, 2)
    const same = [...phrasesOf(table)].filter(([name, texts]) =>
      wanted.get(name)!.some((text, at) => text === texts[at] && /\p{L}{2}/u.test(text.replaceAll(/‹\w+›/g, ''))),
    )
    t.same(
      same.map(([name]) => name),
      sameAsEnglish[primary],
      table.tag,
    )
  }
})

/** A child, a friend or a colleague would be addressed so; a patient is not. */
const familiar: Readonly<Record<string, RegExp>> = {
  de: /\b(?:du|dich|dir|dein\w*|euch|eure\w*)\b/iu,
  es: /(?<!\p{L})(?:tú|ti|tu|tus|te|contigo|vosotros|vuestr\p{L}*|os)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:tu|toi|te|ton|ta|tes)(?!\p{L})|(?<!\p{L})t[’']/iu,
}

t.test('everybody is addressed formally, in whole sentences where they are spoken', async (t) => {
  const written =
    /^(?:alarms\.(?!said|hello|takeInHand|confirm|taken)|phones|notices|emergency|faxCover|faxReceipt|mailbox\.extension|mailboxMenu\.withheld)/
  for (const table of [english, ...others]) {
    const primary = table.tag.slice(0, 2)
    for (const [name, texts] of phrasesOf(table))
      for (const text of texts) {
        if (familiar[primary] !== undefined) t.notMatch(text, familiar[primary], `${primary} ${name}`)
        if (!written.test(name)) t.match(text, /[.]$/, `${primary} ${name} ends as a sentence`)
      }
  }
})

t.test('the look-up: the primary subtag decides, the country stays with the voice; then the next wanted, then English', async (t) => {
  for (const [wanted, goodbye, language] of [
    [['de'], 'Auf Wiederhören.', 'de-DE'],
    [['de-AT'], 'Auf Wiederhören.', 'de-AT'],
    [['fr-CA'], 'Au revoir.', 'fr-CA'],
    [['ES-us'], 'Adiós.', 'ES-us'],
    [['en-GB'], 'Goodbye.', 'en-GB'],
    [['fi-FI'], 'Goodbye.', 'en-US'],
    [['fi-FI', 'fr-FR'], 'Au revoir.', 'fr-FR'],
    [['', 'es'], 'Adiós.', 'es-ES'],
    [['es-MX', 'de-DE'], 'Adiós.', 'es-MX'],
    [['den'], 'Goodbye.', 'en-US'],
    [['constructor'], 'Goodbye.', 'en-US'],
    [[''], 'Goodbye.', 'en-US'],
    [[], 'Goodbye.', 'en-US'],
  ] as const) {
    const found = words(...wanted)
    t.same([found.mailbox.goodbye, found.language], [goodbye, language], wanted.join(', then '))
  }
})

t.test('parts that more languages have: cover pages, and what is understood in texts', async (t) => {
  t.equal(sharedPart('faxCover', 'pt-BR').pages, 'Páginas')
  t.equal(sharedPart('faxCover', 'de-CH').pages, 'Seiten')
  t.equal(sharedPart('faxCover', 'zh-CN').faxNumber, '传真号码')
  for (const tag of ['zh-TW', 'zh-Hant', 'zh-hant-HK', 'zh-MO']) t.equal(sharedPart('faxCover', tag).faxNumber, '傳真號碼', tag)
  t.equal(sharedPart('faxCover', 'fi-FI'), english.faxCover)
  t.ok(sharedPart('understood', 'pt-BR').optOut.includes('SAIR'))
  t.equal(sharedPart('understood', 'it-IT'), english.understood, 'a language that has a part has not each')
  for (const cover of everyPart('faxCover')) for (const label of Object.values(cover)) t.ok(label.trim() !== '', label)
  t.same(
    everyPart('understood')
      .flatMap((part) => Object.values(part).flat())
      .filter((word) => !/^[A-Z ]+$/.test(word)),
    [],
    'in the letters to which texts are folded',
  )
})

t.test('what can be spoken ahead has no value in it', async (t) => {
  t.same(fixedSentences({ one: 'Yes. No.', two: (value) => `It is ${value}. Yes.`, three: (value) => `${value} it is.` }), ['Yes.', 'No.'])
})

t.test('the fall-back stands in one place', async (t) => {
  const cut = /split\('-'(?:, 1)?\)\[0\]|\.split\('-', 1\)/
  const files = ['daemon', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  t.same(
    files.filter((file) => file.endsWith('.ts') && cut.test(readFileSync(file, 'utf8'))),
    ['daemon/words/tag.ts'],
    'a language tag is cut nowhere else',
  )
})
