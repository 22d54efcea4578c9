/** How people are greeted, by their names as records, address books and HL7 messages write them; after reports of other name parsers. */
import t from 'tap'
import { printable } from '../../daemon/crm/numbers.ts'
import { firstName, readableName, readName } from '../../daemon/base/person-name.ts'

const greetings: readonly (readonly [source: string, names: Readonly<Record<string, string>>])[] = [
  [
    'suffixes behind a comma (python-nameparser 3)',
    {
      'Robert Downey, Jr.': 'Robert',
      'Downey, Robert, Jr.': 'Robert',
      'Downey Jr., Robert': 'Robert',
      'Downey, Jr., Robert': 'Robert',
      'Smith, III, Bob': 'Bob',
      'Smith III, Bob': 'Bob',
      'Bob Smith, III': 'Bob',
      'Bob Smith IV': 'Bob',
      'John Smith Sr.': 'John',
      'John Smith, 2nd': 'John',
      'Downey, Jr.': 'Downey',
    },
  ],
  [
    'degrees (python-nameparser 68, PHP-Name-Parser PR 4)',
    {
      'John Smith, MD': 'John',
      'John Smith MD': 'John',
      'Lee Ann, MSW': 'Lee',
      'Jane Doe, LMT': 'Jane',
      'Jane Doe, CRNP, WHNP-BC': 'Jane',
      'Jane Doe, BCBA': 'Jane',
      'Hon. Jane Doe': 'Jane',
      'Doe, JT': 'JT',
      'De La Cruz, JUAN': 'Juan',
      'John Smith, M.D.': 'John',
      'John Smith, M. D.': 'John',
      'John Smith, MD, PhD': 'John',
      'Smith, John, MD': 'John',
      'Smith, MD, John': 'John',
      'Smith, John MD': 'John',
      'Jane Doe, Ph. D.': 'Jane',
      'Jane Doe PhD': 'Jane',
      'Jane Doe, J.D.': 'Jane',
      'Doe, Jane, Esq.': 'Jane',
      'Jane Doe, DDS': 'Jane',
      'Jane Doe, D.D.S., M.S.': 'Jane',
      'Jane Doe, RN, BSN': 'Jane',
      'Jane Doe RN': 'Jane',
      'Jane Doe, PA-C': 'Jane',
      'Dr. Jane Doe, DMD': 'Jane',
      'Smith, MD': 'Smith',
      'Doe, Jane M., LCSW': 'Jane',
    },
  ],
  [
    'words that are names as well',
    {
      'Nguyen, Do': 'Do',
      'NGUYEN, DO': 'DO',
      'Kim Do': 'Kim',
      'Yo-Yo Ma': 'Yo-Yo',
      'Ma, Yo-Yo': 'Yo-Yo',
      'Ed Smith': 'Ed',
      'Smith, Ed': 'Ed',
      'Md Rahman': 'Md',
      'Van Johnson': 'Van',
      'Al Gore': 'Al',
      'Smith, V': 'V Smith',
      'John Smith V': 'John',
      'J.D. Salinger': 'J.D.',
      'Don Draper': 'Don Draper',
    },
  ],
  [
    'HL7 and DICOM (namae 32)',
    {
      'LOPEZ^MARIA^A': 'Maria',
      'LOPEZ^MARIA^A^^Mrs': 'Maria',
      'LOPEZ^^^^Mrs': 'Mrs Lopez',
      'Smith^John^Q^Jr^Dr^MD': 'John',
      'SMITH^JOHN': 'John',
      'Van Buren&Van&Buren^Martin': 'Martin',
      'LOPEZ^MARIA~RUIZ^MARIA': 'Maria',
      '^MARIA': 'Maria',
      'LOPEZ^': 'Lopez',
      "O'BRIEN^SEAN": 'Sean',
      'MÜLLER^JÖRG^^Dr.': 'Jörg',
    },
  ],
  [
    'titles',
    {
      'Mrs. Lopez': 'Mrs. Lopez',
      'Dr. John Smith': 'John',
      'Lopez, Dr. Maria': 'Maria',
      'Frau Müller': 'Frau Müller',
      'Prof. Dr. med. Anna Schmidt': 'Anna',
      'Dr. med. dent. Julia Weiß': 'Julia',
      'Dipl.-Ing. (FH) Karl Maier': 'Karl',
      'Mr. and Mrs. John Smith': 'John',
      'M. Dupont': 'M. Dupont',
      'Mme Claire Dupont': 'Claire',
      'Sra. Ana Ruiz': 'Ana',
      'Don Carlos García': 'Carlos',
      'Lopez, Mrs.': 'Mrs. Lopez',
      'Mrs. van der Berg': 'Mrs. van der Berg',
      'Rev. Martin Luther King, Jr.': 'Martin',
      'Miss Marple': 'Miss Marple',
    },
  ],
  [
    'particles and given names of several words',
    {
      'Juan de la Cruz': 'Juan',
      'de la Cruz, Juan': 'Juan',
      'de la Cruz': 'de la Cruz',
      'Ludwig van Beethoven': 'Ludwig',
      'Maria del Carmen López': 'Maria',
      'Jean-Pierre Dupont': 'Jean-Pierre',
      'DUPONT, JEAN-PIERRE': 'Jean-Pierre',
      'Mary Ann Smith': 'Mary',
      'García López, María José': 'María',
      'Abdul Salam Ahmed': 'Abdul Salam',
      'Anna-Lena Müller-Schmidt': 'Anna-Lena',
      'van der Berg, Piet': 'Piet',
      'de Souza': 'de Souza',
    },
  ],
  [
    'initials, nicknames and notes',
    {
      'J. Edgar Hoover': 'Edgar',
      'M Night Shyamalan': 'Night',
      'J Smith': 'J Smith',
      'Robert "Bob" Smith': 'Robert',
      'Robert (Bob) Smith': 'Robert',
      'Smith, Robert (Bob)': 'Robert',
      'Lopez, Maria [12345]': 'Maria',
      '*Lopez, Maria': 'Maria',
      'John Q. Public': 'John',
      'Smith,John': 'John',
      'Lopez,, Maria': 'Maria',
      'Lopez,': 'Lopez',
      ', Maria': 'Maria',
    },
  ],
  [
    'other',
    {
      Cher: 'Cher',
      '': '',
      '  ': '',
      ',': '',
      '^': '',
      ' Ann \n Lee ': 'Ann',
      '<speak>x': 'speak',
      MARIA: 'Maria',
      王伟: '王伟',
      'Ann\u200b Lee': 'Ann',
      '12345': '',
      'Dr.': 'Dr.',
    },
  ],
]

for (const [source, names] of greetings)
  t.test(source, async (t) => {
    for (const [name, greeting] of Object.entries(names)) t.equal(firstName(name), greeting, name)
  })

t.test('carets are read aloud and shown by nobody; any other name is shown as it is written', async (t) => {
  for (const [name, shown] of [
    ['LOPEZ^MARIA^A^^Mrs', 'Mrs MARIA A LOPEZ'],
    ['Smith^John^Q^Jr^Dr^MD', 'Dr John Q Smith, Jr, MD'],
    ['LOPEZ', 'LOPEZ'],
    ['Smith, Jones & Co.', 'Smith, Jones & Co.'],
    ['Ruiz, Ana', 'Ruiz, Ana'],
  ] as const) {
    t.equal(readableName(name), shown)
    t.equal(printable(name), shown)
  }
  t.match(readName('Prof. Dr. Ana Ruiz López, MD, PhD'), {
    title: 'Prof. Dr.',
    given: ['Ana', 'Ruiz'],
    family: 'López',
    suffixes: ['MD', 'PhD'],
  })
  t.equal(printable(`${'a'.repeat(79)}😀`).isWellFormed(), true, 'a name that is too long is not cut within a letter')
})
