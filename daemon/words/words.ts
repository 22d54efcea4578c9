/**
 * What the box says and writes to people: callers, patients, and those who work in the clinic. One table for each language, and the one place
 * that decides what is taken where a language has none. What technicians read (log, errors, alarms, the pbx program) is English and not here.
 */
import { german } from './de.ts'
import { english, type Words } from './en.ts'
import { spanish } from './es.ts'
import { french } from './fr.ts'
import { primarySubtag } from './tag.ts'

/** Languages in which the box has not all its words: those of a fax's cover page, those it understands in texts. */
type SharedPart = 'faxCover' | 'understood'

/** By primary subtag; `zh-hant` for Chinese in traditional letters. */
const more: Readonly<Record<string, Partial<Pick<Words, SharedPart>>>> = {
  ar: { faxCover: { to: 'إلى', faxNumber: 'رقم الفاكس', from: 'من', subject: 'الموضوع', date: 'التاريخ', pages: 'عدد الصفحات' } },
  cs: { faxCover: { to: 'Komu', faxNumber: 'Číslo faxu', from: 'Od', subject: 'Věc', date: 'Datum', pages: 'Počet stran' } },
  da: { faxCover: { to: 'Til', faxNumber: 'Faxnummer', from: 'Fra', subject: 'Emne', date: 'Dato', pages: 'Sider' } },
  el: { faxCover: { to: 'Προς', faxNumber: 'Αριθμός φαξ', from: 'Από', subject: 'Θέμα', date: 'Ημερομηνία', pages: 'Σελίδες' } },
  he: { faxCover: { to: 'אל', faxNumber: 'מספר פקס', from: 'מאת', subject: 'נושא', date: 'תאריך', pages: 'עמודים' } },
  it: { faxCover: { to: 'A', faxNumber: 'Numero di fax', from: 'Da', subject: 'Oggetto', date: 'Data', pages: 'Pagine' } },
  ja: { faxCover: { to: '宛先', faxNumber: 'FAX番号', from: '差出人', subject: '件名', date: '日付', pages: '枚数' } },
  ko: { faxCover: { to: '받는 사람', faxNumber: '팩스 번호', from: '보내는 사람', subject: '제목', date: '날짜', pages: '매수' } },
  nl: { faxCover: { to: 'Aan', faxNumber: 'Faxnummer', from: 'Van', subject: 'Onderwerp', date: 'Datum', pages: "Pagina's" } },
  pl: { faxCover: { to: 'Do', faxNumber: 'Numer faksu', from: 'Od', subject: 'Temat', date: 'Data', pages: 'Liczba stron' } },
  pt: {
    faxCover: { to: 'Para', faxNumber: 'Número de fax', from: 'De', subject: 'Assunto', date: 'Data', pages: 'Páginas' },
    understood: {
      optOut: ['PARAR', 'PARE', 'SAIR', 'CANCELAR', 'FIM', 'DESCADASTRAR'],
      start: ['INICIAR', 'COMECAR'],
      help: ['AJUDA'],
      cancel: ['CANCELAR'],
      end: ['FIM'],
    },
  },
  ru: { faxCover: { to: 'Кому', faxNumber: 'Номер факса', from: 'От', subject: 'Тема', date: 'Дата', pages: 'Страниц' } },
  sv: { faxCover: { to: 'Till', faxNumber: 'Faxnummer', from: 'Från', subject: 'Ämne', date: 'Datum', pages: 'Sidor' } },
  tr: { faxCover: { to: 'Kime', faxNumber: 'Faks numarası', from: 'Kimden', subject: 'Konu', date: 'Tarih', pages: 'Sayfa sayısı' } },
  uk: { faxCover: { to: 'Кому', faxNumber: 'Номер факсу', from: 'Від', subject: 'Тема', date: 'Дата', pages: 'Сторінок' } },
  zh: { faxCover: { to: '收件人', faxNumber: '传真号码', from: '发件人', subject: '主题', date: '日期', pages: '页数' } },
  'zh-hant': { faxCover: { to: '收件人', faxNumber: '傳真號碼', from: '寄件人', subject: '主旨', date: '日期', pages: '頁數' } },
}

const tables: ReadonlyMap<string, Words> = new Map([english, german, spanish, french].map((table) => [primarySubtag(table.tag), table]))

/** The words of one language. */
export interface Wording extends Words {
  /** BCP 47: of the voice that says them, and of dates among them. With the country that was asked for. */
  readonly language: string
}

/** A text, and the language (BCP 47) of the voice that says it. */
export interface Said {
  readonly text: string
  readonly language: string
}

/**
 * Of the first of these languages (BCP 47) that the box has, else English. For somebody whose own language is known, name that and then the
 * language of the site.
 */
export function words(...wanted: readonly string[]): Wording {
  for (const language of wanted) {
    const table = tables.get(primarySubtag(language))
    if (table !== undefined) return { ...table, language: language.includes('-') ? language : table.tag }
  }
  return { ...english, language: english.tag }
}

/** The part of a language (BCP 47) that more languages have than are spoken. */
export function sharedPart<P extends SharedPart>(part: P, language: string): Words[P] {
  return more[placeIn(language)]?.[part] ?? words(language)[part]
}

/** The part in every language that has it. */
export function everyPart<P extends SharedPart>(part: P): Words[P][] {
  return [...tables.values(), ...Object.values(more)].flatMap((table) => table[part] ?? [])
}

function placeIn(language: string): string {
  const primary = primarySubtag(language)
  return primary === 'zh' && /-(?:hant|tw|hk|mo)(?:-|$)/i.test(language) ? 'zh-hant' : primary
}

/** The sentences of these phrases that are the same in each call: those without a value in them. They can be spoken ahead. */
export function fixedSentences(phrases: Readonly<Record<string, string | ((value: string) => string)>>): string[] {
  const value = '\uE000'
  const texts = Object.values(phrases).map((phrase) => (typeof phrase === 'string' ? phrase : phrase(value)))
  return [...new Set(texts.flatMap((text) => text.split(/(?<=\.) /)))].filter((text) => !text.includes(value))
}
