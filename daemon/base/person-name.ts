/**
 * Names of people as other software writes them: "Ana Ruiz", "Ruiz, Ana", "Dr. Ana Ruiz, MD", "Smith, III, Bob", and the HL7 form
 * (PN and XPN, HL7 v2 section 2.A.88) RUIZ^ANA^M^^Mrs. Titles, suffixes and degrees are no part of the name itself.
 */

export interface PersonName {
  /** Such as "Mrs." or "Prof. Dr."; '' for none. */
  readonly title: string
  /** Given names in their order. */
  readonly given: readonly string[]
  /** With its particles; '' where one name is all there is. */
  readonly family: string
  /** Such as "Jr." and "MD". */
  readonly suffixes: readonly string[]
}

/** Of a longer one the rest is not read. */
const longestName = 200

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Without dots and hyphens. A few are names as well: they count where a name follows. */
const titles = set(
  'mr mrs ms miss mx dr prof professor sir dame rev reverend fr sr sra srta don doña dona m mme mlle herr frau hr ing dipling lic capt lt col ' +
    'sgt cpl cmdr rabbi imam pastor madame monsieur sig signor signora dott dottssa drs mevr dhr mag univprof lord lady pfarrer dra profa hon maj adm',
)
/** Behind a title alone: "Dr. med. dent." */
const titlesBehind = set('med dent vet phil rer nat jur habil hc')
const suffixes = set(
  'jr sr ii iii iv junior senior 2nd 3rd 4th esq esquire md phd jd dds dmd do od dpm dvm vmd dc dpt pt ot otr otrl rn lpn lvn np npc fnp fnpc aprn ' +
    'crnp cnm crna dnp pa pac bsn msn rph pharmd psyd edd scd dphil dsc mph mba ma ms msc ba bs bsc bed llb llm lld lcsw lmft lmhc lpc lac nd rd rdn rdh cpa ' +
    'cfp pe facs faap facp facc facog faafp mbbs mbchb mrcp frcs frcp frcpc ret usn usmc usaf usa v vi vii ccc cccslp mscn cde ' +
    'bcba arnp cna emt aud',
)
/** Which are words of names as well: only in capitals or with dots. */
const unsure = set('do ma v vi pa ba bs bed ms pe md ed usa ot pt nd rd dc od ret ccc')
/** Which are given names or initials as often: not where no other given name is left. */
const asOften = set('do ma v vi ed jd')
/** They begin a family name, or go on with it. */
const particles = set(
  'van von der den de del della di da das dos do du la le las los el al ibn bin bint ben ter ten te zu zum zur af av y e st vande vander abu',
)
/** Arabic given names of two words. */
const bound = set('abdul abdel abd abdal abu umm')

const bare = (word: string): string => word.toLowerCase().replaceAll(/[.\-/'’]/g, '')
const isTitle = (word: string): boolean =>
  titles.has(bare(word)) || (word.includes('-') && word.split('-').every((part) => titles.has(bare(part))))

export function readName(text: string): PersonName {
  const plain = text.normalize('NFC').slice(0, longestName)
  return plain.includes('^') ? readHl7(plain) : readWritten(cleaned(plain))
}

/** How a person is greeted: the given name, "Mrs. Lopez" where that is all there is; '' where there is no name. */
export function firstName(text: string): string {
  const { title, given, family } = readName(text)
  // Of "J. Edgar Hoover" the name, not the initial.
  const first = given.find((name) => !isInitial(name)) ?? (given.length > 0 && family !== '' ? `${given[0]} ${family}` : given[0])
  const called = first ?? (title === '' || family === '' ? `${title}${family}` : `${title} ${family}`)
  return inMixedCase(called)
}

/** As people read a name: that of software which writes carets, in the order of speech; any other as it is. */
export function readableName(text: string): string {
  if (!text.includes('^')) return text
  const { title, given, family, suffixes: behind } = readName(text)
  const name = [title, ...given, family].filter((part) => part !== '').join(' ')
  return [name, ...behind].filter((part) => part !== '').join(', ')
}

/** Family, given, further given names, suffix, prefix, degree: each recognised by what it is, because DICOM changes the order of two. */
function readHl7(text: string): PersonName {
  const [first = ''] = text.split(/[~=\r\n]/)
  const [family = '', ...others] = first.split('^').map((part) => wordsOf(cleaned(part.split('&')[0]!)).join(' '))
  const [given = '', ...more] = others
  const names = [given, more[0] ?? ''].flatMap(wordsOf)
  const rest = more.slice(1).flatMap(wordsOf)
  const title = rest.filter(isTitle).join(' ')
  return { title, given: names, family, suffixes: rest.filter((word) => !isTitle(word)) }
}

function readWritten(text: string): PersonName {
  const parts = text.split(',').map(wordsOf)
  const [head = [], ...behind] = parts.filter((words) => words.length > 0)
  const lone = withoutTitle(head).names.length === 1
  const sure = behind.filter((words) => !isSuffixPart(words, false))
  const names = sure.length === 0 && lone ? behind.filter((words) => !isSuffixPart(words, true)) : sure
  const loose = behind.filter((words) => !names.includes(words)).flat()
  const [after] = names
  if (after === undefined) {
    const name = readInOrder(head)
    return { ...name, suffixes: [...name.suffixes, ...loose] }
  }
  const family = splitSuffixes(head)
  const given = splitSuffixes(withoutTitle(after).names)
  const title = [withoutTitle(family.names).title, withoutTitle(after).title].filter((one) => one !== '').join(' ')
  const all = [...family.suffixes, ...given.suffixes, ...loose]
  return { title, given: joinBound(given.names, 2), family: withoutTitle(family.names).names.join(' '), suffixes: all }
}

/** Title, given names, family name, suffixes. */
function readInOrder(words: readonly string[]): PersonName {
  const { title, names: untitled } = withoutTitle(words)
  const { names, suffixes: behind } = splitSuffixes(untitled)
  if (names.length <= 1) {
    const [one = ''] = names
    return title === ''
      ? { title, given: one === '' ? [] : [one], family: '', suffixes: behind }
      : { title, given: [], family: one, suffixes: behind }
  }
  // In small letters: Van Johnson has a given name, and van der Berg has none.
  if (particles.has(names[0]!)) return { title, given: [], family: names.join(' '), suffixes: behind }
  const given = joinBound(names, 3)
  const at = familyFrom(given)
  return { title, given: given.slice(0, at), family: given.slice(at).join(' '), suffixes: behind }
}

/** Where the family name begins: at the first particle behind the given names, else at the last word. */
function familyFrom(names: readonly string[]): number {
  const at = names.findIndex((name, index) => index > 0 && index < names.length - 1 && particles.has(bare(name)))
  return at === -1 ? Math.max(1, names.length - 1) : at
}

function withoutTitle(words: readonly string[]): { readonly title: string; readonly names: readonly string[] } {
  let at = 0
  const goesOn = (word: string): boolean =>
    titlesBehind.has(bare(word)) || (/^(?:and|und|y|et)$/i.test(word) && isTitle(words[at + 1] ?? ''))
  while (at < words.length && (isTitle(words[at]!) || (at > 0 && goesOn(words[at]!)))) at++
  // M without a dot, in front of more than a family name, is an initial: M Night Shyamalan.
  if (at === 1 && /^m$/i.test(words[0]!) && words.length > 2) at = 0
  return { title: words.slice(0, at).join(' '), names: words.slice(at) }
}

/** Suffixes at the end, of which one word at least is left in front. */
function splitSuffixes(words: readonly string[]): { readonly names: readonly string[]; readonly suffixes: readonly string[] } {
  let end = words.length
  while (end > 1 && isSuffix(words[end - 1]!, end <= 2)) end--
  return { names: words.slice(0, end), suffixes: words.slice(end) }
}

/** A degree that the list does not have: capitals that nobody could say, such as LMT. */
const unsayable = /^[B-DF-HJ-NP-TV-XZ]{3,}(?:[-/][A-Z]{1,4})?$/

/** A part between commas that is nothing but suffixes. `lone`: what stands before is a family name alone. */
function isSuffixPart(words: readonly string[], lone: boolean): boolean {
  if (words.every((word) => isSuffix(word, lone) || (!lone && unsayable.test(word)))) return true
  if (lone) return false
  // M. D.
  const together = words.join('')
  return words.every((word) => bare(word).length <= 3) && together.includes('.') && suffixes.has(bare(together))
}

/** `careful`: a word that may be a name would be the only given one. */
function isSuffix(word: string, careful: boolean): boolean {
  const plain = bare(word)
  if (!suffixes.has(plain) || (careful && asOften.has(plain))) return false
  return !unsure.has(plain) || /\..*\./.test(word) || word === word.toUpperCase()
}

/** `least`: so many words there must be. */
function joinBound(words: readonly string[], least: number): string[] {
  const [first = '', second, ...rest] = words
  if (words.length < least || !bound.has(bare(first))) return [...words]
  return [`${first} ${second}`, ...rest]
}

const isInitial = (name: string): boolean => /^\p{L}\.?$/u.test(name)

/** What stands in brackets or quotes is a nickname or a note; what has no letter is none of a name. */
function cleaned(text: string): string {
  return text
    .replaceAll(/\([^()]*\)|\[[^\][]*\]|"[^"]*"|“[^“”]*”/g, ' ')
    .replaceAll(/\bPh\.? ?D\b\.?/gi, 'PhD')
    .replaceAll(/[\p{Cc}\p{Cf}<>&"()[\]*|;]/gu, ' ')
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /\p{L}|^\d(?:nd|rd|th)$/u.test(word))
}

/** What is written in capitals alone would be spelled out. */
function inMixedCase(name: string): string {
  return name.replaceAll(/\p{Lu}[\p{Lu}\p{M}'’-]{2,}(?![\p{L}.])/gu, (word) =>
    word.toLowerCase().replaceAll(/(?<![\p{L}\p{M}'’])\p{L}|(?<=\b[od]['’])\p{L}/gu, (letter) => letter.toUpperCase()),
  )
}
