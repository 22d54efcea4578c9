/** Abbreviations, signs and units in English words. */
import { cardinal } from './number-words.ts'
import type { Rule } from './english-numbers.ts'

/** Singular and plural. */
const units: Readonly<Record<string, readonly [string, string]>> = {
  mg: ['milligram', 'milligrams'],
  mcg: ['microgram', 'micrograms'],
  g: ['gram', 'grams'],
  kg: ['kilogram', 'kilograms'],
  ml: ['milliliter', 'milliliters'],
  cc: ['cc', 'ccs'],
  oz: ['ounce', 'ounces'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  hr: ['hour', 'hours'],
  hrs: ['hour', 'hours'],
  min: ['minute', 'minutes'],
  mins: ['minute', 'minutes'],
  sec: ['second', 'seconds'],
  cm: ['centimeter', 'centimeters'],
  mm: ['millimeter', 'millimeters'],
  km: ['kilometer', 'kilometers'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  yrs: ['year', 'years'],
  bpm: ['beat per minute', 'beats per minute'],
  mmhg: ['millimeter of mercury', 'millimeters of mercury'],
}

const abbreviations: Readonly<Record<string, string>> = {
  Mr: 'Mister',
  Mrs: 'Missus',
  Ms: 'Miz',
  Prof: 'Professor',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Ln: 'Lane',
  Apt: 'Apartment',
  Ste: 'Suite',
  Rm: 'Room',
  Bldg: 'Building',
  Fl: 'Floor',
  fl: 'floor',
  Dept: 'Department',
  Ext: 'Extension',
  ext: 'extension',
  appt: 'appointment',
  Appt: 'Appointment',
  approx: 'approximately',
  vs: 'versus',
  etc: 'et cetera',
  Jr: 'Junior',
  Sr: 'Senior',
  Inc: 'Incorporated',
}
const streets: Readonly<Record<string, string>> = {
  St: 'Street',
  Dr: 'Drive',
  Ave: 'Avenue',
  Rd: 'Road',
  Ln: 'Lane',
  Blvd: 'Boulevard',
  Ct: 'Court',
  Pl: 'Place',
  Hwy: 'Highway',
}

/** Abbreviations that always stand before something: their stop never ends a sentence. */
const leading = new Set(['Mr', 'Mrs', 'Ms', 'Prof', 'Apt', 'Ste', 'Rm', 'Bldg', 'Ext', 'ext', 'vs', 'approx'])

export const abbreviationRules: readonly Rule[] = [
  // "12 Elm St. Please come.": the stop ends the sentence as well.
  [
    /(?<=\b\d{1,5} (?:[NSEW]\.? )?(?:[A-Z][a-z]+|\d+(?:st|nd|rd|th)) )(St|Dr|Ave|Rd|Ln|Blvd|Ct|Pl|Hwy)\.(?=\s+[A-Z](?!\w*\s?\d))/g,
    (m) => `${streets[m[1]!]!}.`,
  ],
  // "Dr." before a name is a doctor, behind one a street; "St." likewise.
  [/\b(?<=[A-Za-z0-9] )(Dr|St)\.(?=\s*(?:$|[,;.!?]|[a-z0-9#]|(?:Apt|Suite|Ste|Unit)\b))/g, (m) => streets[m[1]!]!],
  [/(?<=\b\d{1,5} (?:[NSEW]\.? )?(?:[A-Z][a-z]+|\d+(?:st|nd|rd|th)) )(St|Dr|Ave|Rd|Ln|Blvd|Ct|Pl|Hwy)\b(?!\.)/g, (m) => streets[m[1]!]!],
  [/\bDr\.?(?= [A-Z])/g, () => 'Doctor'],
  [/\bSt\.(?= [A-Z])/g, () => 'Saint'],
  [
    /\b(Mr|Mrs|Ms|Prof|Ave|Blvd|Rd|Ln|Apt|Ste|Rm|Bldg|Fl|fl|Dept|Ext|ext|appt|Appt|approx|vs|etc|Jr|Sr|Inc)\.(?=(\s+[A-Z]|\s*$)|)/g,
    (m) => abbreviation(m[1]!, m[2]),
  ],
  [/\b(Apt|Rm|Ste|Bldg)(?= #?\d)/g, (m) => abbreviations[m[1]!]!],
  [/\b[Ee]\.g\.,?/g, () => 'for example'],
  [/\b[Ii]\.e\.,?/g, () => 'that is'],
  // M.D., U.S.: letters; the last stop stays where it ends the sentence as well, which it hardly does in "U.S. Mail".
  [
    /\b((?:[A-Z]\.){2,})(?=(\s+[A-Z]|\s*$)|)/g,
    (m) => m[1]!.replaceAll('.', ' ').trim() + (m[2] === undefined || /^(?:U\.S|P\.O|D\.C)/.test(m[1]!) ? '' : '.'),
  ],
  [/\bw\/o\b/g, () => 'without'],
  [/\bw\/\s?(?=\w)/g, () => 'with '],
  [/~\s?(?=\d)/g, () => 'about '],
  [/\b(A|B|AB|O)([+-])(?=\s(?:blood|type))/g, (m) => `${m[1]!} ${m[2] === '+' ? 'positive' : 'negative'}`],
  [/\bNo\.\s?(?=\d)/g, () => 'number '],
  [/(?<!\w)#\s?(?=\d)/g, () => 'number '],
  [
    /(?<=\b(?:[Pp]ress|[Hh]it|or|and|then|with|the)\s)([#*])(?![\w*#])/g,
    (m, british) => (m[1] === '*' ? 'star' : british ? 'hash' : 'pound'),
  ],
  [/(?<=[a-z]\s)#(?=\s)/g, () => 'number'],
  // 5'10", 6 ft 2 in
  [/(?<![\w'])(\d{1,2})'\s?(\d{1,2})(?:"|''|(?!\w))/g, (m) => `${measured(m[1]!, 'foot', 'feet')} ${measured(m[2]!, 'inch', 'inches')}`],
  [/(?<=\d\s?ft\.?,?\s)(\d{1,2})\s?in\b\.?/g, (m) => measured(m[1]!, 'inch', 'inches')],
  [/(\d)\s?°\s?([FC])?(?!\w)/g, (m) => `${m[1]!} degrees${m[2] === 'F' ? ' Fahrenheit' : m[2] === 'C' ? ' Celsius' : ''}`],
  [
    /(?<![\w.,])((?:\d+[.,])*\d+)\s?(mg|mcg|g|kg|m[lL]|cc|oz|lbs?|hrs?|mins?|sec|cm|mm|km|mi|ft|yrs|bpm|mmHg)\b(\.(?!\s+[A-Z]|\s*$))?/g,
    (m) => `${m[1]!} ${units[m[2]!.toLowerCase()]![m[1] === '1' ? 0 : 1]}`,
  ],
  [/(\d)\s?%/g, (m) => `${m[1]!} percent`],
  [/\s&\s/g, () => ' and '],
]

function measured(count: string, one: string, many: string): string {
  return `${cardinal(Number(count))} ${count === '1' ? one : many}`
}

function abbreviation(short: string, behind: string | undefined): string {
  const words = abbreviations[short]!
  return behind !== undefined && !leading.has(short) ? `${words}.` : words
}
