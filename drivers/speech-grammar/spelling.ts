/** From what an application writes to what a caller says: `Dr. O'Neil-Smith`, `option 2`, `401k`. */

const units = 'zero one two three four five six seven eight nine'.split(' ')
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const spokenFor: Readonly<Record<string, string>> = {
  dr: 'doctor',
  mr: 'mister',
  mrs: 'missus',
  ms: 'miss',
  st: 'saint',
  dept: 'department',
  ext: 'extension',
  appt: 'appointment',
  ob: 'o b',
  gyn: 'g y n',
  vs: 'versus',
}
const mostWords = 24
const mostDigits = 12

/** All ways to say a phrase, as words in lower case; none when it has signs that nobody can pronounce. */
export function saidAs(written: string): string[][] {
  const plain = written
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll('+', ' plus ')
    .replaceAll('%', ' percent ')
    .replaceAll('@', ' at ')
    .replace(/\b([ap])\.?m\b\.?/g, '$1 m')
  // A letter that is not English cannot be left out: the rest would be another word.
  if (/[^\p{ASCII}]/u.test(plain.replace(/[\p{P}\p{S}\p{Z}]/gu, ''))) return []
  const tokens = plain.match(/[a-z][a-z']*|\d+/g) ?? []
  if (tokens.length === 0 || tokens.length > mostWords) return []
  let ways: string[][] = [[]]
  for (const token of tokens) {
    const said = /^\d/.test(token) ? numberSaid(token) : [(spokenFor[token] ?? token.replace(/'+$/, '')).split(' ')]
    if (said.length === 0) return []
    // Several numbers in one phrase would multiply: the first way of each is enough then.
    ways = ways.flatMap((way) => (ways.length > 4 ? said.slice(0, 1) : said).map((words) => [...way, ...words]))
  }
  return ways.filter((way) => way.length <= mostWords)
}

function numberSaid(digits: string): string[][] {
  if (digits.length > mostDigits) return []
  const each = [...digits].map((digit) => units[Number(digit)]!)
  const ways = [each]
  if (digits.includes('0') && digits.length > 2) ways.push(each.map((word) => (word === 'zero' ? 'oh' : word)))
  const value = Number(digits)
  if (!digits.startsWith('0') && digits.length === 2) ways.push(below100(value))
  if (!digits.startsWith('0') && digits.length === 3) {
    const hundreds = [units[Math.floor(value / 100)]!, 'hundred']
    ways.push(value % 100 === 0 ? hundreds : [...hundreds, ...below100(value % 100)])
    if (value % 100 >= 10) ways.push([units[Math.floor(value / 100)]!, ...below100(value % 100)])
  }
  return ways
}

function below100(value: number): string[] {
  if (value < 10) return [units[value]!]
  if (value < 20) return [teens[value - 10]!]
  return [tens[Math.floor(value / 10) - 2]!, ...(value % 10 === 0 ? [] : [units[value % 10]!])]
}
