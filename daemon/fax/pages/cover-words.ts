/** What is printed on a cover page beside the sender's own words, in the languages of sites; English where there is none. */

export interface CoverWords {
  readonly to: string
  readonly faxNumber: string
  readonly from: string
  readonly subject: string
  readonly date: string
  readonly pages: string
}

const english: CoverWords = { to: 'To', faxNumber: 'Fax number', from: 'From', subject: 'Subject', date: 'Date', pages: 'Pages' }

/** By the language of a BCP 47 tag. */
const wordsOf: Readonly<Record<string, CoverWords>> = {
  en: english,
  ar: { to: 'إلى', faxNumber: 'رقم الفاكس', from: 'من', subject: 'الموضوع', date: 'التاريخ', pages: 'عدد الصفحات' },
  cs: { to: 'Komu', faxNumber: 'Číslo faxu', from: 'Od', subject: 'Věc', date: 'Datum', pages: 'Počet stran' },
  da: { to: 'Til', faxNumber: 'Faxnummer', from: 'Fra', subject: 'Emne', date: 'Dato', pages: 'Sider' },
  de: { to: 'An', faxNumber: 'Faxnummer', from: 'Von', subject: 'Betreff', date: 'Datum', pages: 'Seiten' },
  el: { to: 'Προς', faxNumber: 'Αριθμός φαξ', from: 'Από', subject: 'Θέμα', date: 'Ημερομηνία', pages: 'Σελίδες' },
  es: { to: 'Para', faxNumber: 'Número de fax', from: 'De', subject: 'Asunto', date: 'Fecha', pages: 'Páginas' },
  fr: { to: 'À', faxNumber: 'Numéro de fax', from: 'De', subject: 'Objet', date: 'Date', pages: 'Pages' },
  he: { to: 'אל', faxNumber: 'מספר פקס', from: 'מאת', subject: 'נושא', date: 'תאריך', pages: 'עמודים' },
  it: { to: 'A', faxNumber: 'Numero di fax', from: 'Da', subject: 'Oggetto', date: 'Data', pages: 'Pagine' },
  ja: { to: '宛先', faxNumber: 'FAX番号', from: '差出人', subject: '件名', date: '日付', pages: '枚数' },
  ko: { to: '받는 사람', faxNumber: '팩스 번호', from: '보내는 사람', subject: '제목', date: '날짜', pages: '매수' },
  nl: { to: 'Aan', faxNumber: 'Faxnummer', from: 'Van', subject: 'Onderwerp', date: 'Datum', pages: "Pagina's" },
  pl: { to: 'Do', faxNumber: 'Numer faksu', from: 'Od', subject: 'Temat', date: 'Data', pages: 'Liczba stron' },
  pt: { to: 'Para', faxNumber: 'Número de fax', from: 'De', subject: 'Assunto', date: 'Data', pages: 'Páginas' },
  ru: { to: 'Кому', faxNumber: 'Номер факса', from: 'От', subject: 'Тема', date: 'Дата', pages: 'Страниц' },
  sv: { to: 'Till', faxNumber: 'Faxnummer', from: 'Från', subject: 'Ämne', date: 'Datum', pages: 'Sidor' },
  tr: { to: 'Kime', faxNumber: 'Faks numarası', from: 'Kimden', subject: 'Konu', date: 'Tarih', pages: 'Sayfa sayısı' },
  uk: { to: 'Кому', faxNumber: 'Номер факсу', from: 'Від', subject: 'Тема', date: 'Дата', pages: 'Сторінок' },
  zh: { to: '收件人', faxNumber: '传真号码', from: '发件人', subject: '主题', date: '日期', pages: '页数' },
}

/** Traditional letters where a site writes them. */
const traditional: CoverWords = { to: '收件人', faxNumber: '傳真號碼', from: '寄件人', subject: '主旨', date: '日期', pages: '頁數' }

/** `language`: a BCP 47 tag such as de-CH. */
export function coverWords(language: string): CoverWords {
  const [main = '', ...rest] = language.toLowerCase().split('-')
  if (main === 'zh' && rest.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part))) return traditional
  return wordsOf[main] ?? english
}
