/** Languages in which the box has not all its words: those of a fax's cover page, those it understands in texts. */
import type { Words } from './en.ts'

export type SharedPart = 'faxCover' | 'understood'

/** By primary subtag; `zh-hant` for Chinese in traditional letters. */
export const more: Readonly<Record<string, Partial<Pick<Words, SharedPart>>>> = {
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
