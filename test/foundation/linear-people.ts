/** Families of input for what reads columns, encodings, numbers and names of people; see linear-inputs.ts. */
import { partiesOfCsv } from '../../daemon/crm/import-csv.ts'
import { columnsOf } from '../../daemon/crm/import-columns.ts'
import { decodeFile } from '../../daemon/crm/import-text.ts'
import { phonesOf } from '../../daemon/crm/numbers.ts'
import { firstName, readableName } from '../../daemon/base/person-name.ts'
import type { Family } from './linear-inputs.ts'

type Make<T> = Readonly<Record<string, (n: number) => T>>
type Of = <T>(parser: string, n: number, read: (input: T) => unknown, families: Make<T>) => Family[]

interface Makers {
  readonly times: (piece: string) => (n: number) => string
  readonly after: (head: string, piece: string, tail?: string) => (n: number) => string
  readonly texts: Make<string>
}

const quiet = { wrong: () => undefined, warn: () => undefined }
const decodeOrNot = (bytes: Buffer): unknown => {
  try {
    return decodeFile(bytes, '')
  } catch (error) {
    return error
  }
}

export const peoplesData = (of: Of, { times, after, texts }: Makers): Family[] => [
  ...of('CSV of spreadsheets', 20_000, partiesOfCsv, {
    'columns of letters': (n) => `name,${'é'.repeat(n)}\na\n`,
    semicolons: after('name;phone\n', 'a;5551234567\n'),
    'several values': after('name,Phone 1 - Value\na,', '5551234567 ::: ', '\n'),
    'cells as formulas': after('id,name,phone\n', '="1",'),
    'lines without ids': after('name,phone\n', 'a,5551234567\n'),
  }),
  ...of<string[]>('columns', 2000, columnsOf, {
    numbers: (n) => Array.from({ length: n }, () => 'Phone 1 - Value'),
    labels: (n) => Array.from({ length: n }, (_, at) => `Phone ${at} - Type`),
    names: (n) => Array.from({ length: n }, () => 'Nom'),
  }),
  ...of('encodings', 20_000, (bytes: Buffer) => decodeOrNot(bytes), {
    'letters of Windows-1252': (n) => Buffer.from('Müller é '.repeat(n / 9), 'latin1'),
    'letters in a row': (n) => Buffer.from('é'.repeat(n), 'latin1'),
    'marks between letters': (n) => Buffer.from('a³a'.repeat(n / 3), 'latin1'),
    zeros: (n) => Buffer.alloc(n),
    'UTF-16': (n) => Buffer.from(`\ufeff${'a'.repeat(n / 2)}`, 'utf16le'),
  }),
  ...of('numbers of a cell', 150, (text: string) => phonesOf([{ number: text, label: 'other' }], 'US', quiet), texts),
  ...of('names of people', 20_000, (text: string) => [firstName(text), readableName(text)], {
    ...texts,
    carets: times('a^'),
    commas: times('a,'),
    'commas and suffixes': after('a', ', MD'),
    brackets: times('('),
    titles: times('Dr. '),
  }),
]
