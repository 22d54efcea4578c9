/** Word error rates and exact strings, from what was heard. */
import { saidAs } from '../../../drivers/speech-grammar/spelling.ts'
import { wordErrors } from '../../../scripts/cli/selftest/accuracy.ts'
import { spread } from '../bench/measure.ts'
import { resultsOf } from './hear.ts'
import { lineNames, spoken, type Spoken } from './lines.ts'
import { tasks } from './people.ts'

/** Words as they are compared: lower case, numbers as digits without signs in them, one spelling of what has two. */
export function plainWords(text: string): string[] {
  const written = text
    .toLowerCase()
    .replace(/[’]/g, "'")
    .replace(/\b(mr|dr)\b\.?/g, (title) => (title.startsWith('mr') ? 'mister' : 'doctor'))
    .replace(/(\d)[-,.:\s]+(?=\d)/g, '$1')
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/(\d)(?=[a-z])/g, '$1 ')
    .replace(/\b([ap])\.? ?m\b\.?/g, '$1m')
    .replace(/\boz\b/g, 'ounce')
    .replace(/[^a-z0-9' ]+/g, ' ')
  return written.split(/\s+/).filter((word) => word !== '')
}

const digitOf: Readonly<Record<string, string>> = Object.fromEntries(
  'zero one two three four five six seven eight nine'.split(' ').map((word, digit) => [word, String(digit)]),
)

/** The digits of a string that was said digit by digit, however it is written. */
export function digitsOf(text: string): string {
  return plainWords(text)
    .map((word) => digitOf[word] ?? (word === 'oh' || word === 'o' ? '0' : word))
    .join('')
}

interface Judged {
  readonly right: boolean
  readonly wrongWords: number
  readonly words: number
}

/** Ways to write it: numbers as words and as digits, so that neither counts as an error. */
function ways(text: string): string[][] {
  const asSaid = saidAs(text)
  return [plainWords(text), ...asSaid.map((words) => plainWords(words.join(' ')))]
}

export function judge({ task, text }: Pick<Spoken, 'task' | 'text'>, heard: string): Judged {
  if (task === 'order') {
    const joined = ` ${ways(heard)
      .map((words) => words.join(' '))
      .join(' | ')} `
    const parts = text.split('; ')
    const missing = parts.filter((part) => !ways(part).some((words) => joined.includes(` ${words.join(' ')} `))).length
    return { right: missing === 0, wrongWords: missing, words: parts.length }
  }
  if (task === 'sentence' || task === 'yes-no' || task === 'menu') {
    const said = ways(text)
    const best = Math.min(...ways(heard).flatMap((words) => said.map((each) => wordErrors(each, words))))
    return { right: best === 0, wrongWords: best, words: plainWords(text).length }
  }
  const [said, got] = [digitsOf(text), digitsOf(heard)]
  return { right: said === got, wrongWords: wordErrors([...said], [...got]), words: said.length }
}

/**
 * For each recogniser and task, on each line: share understood whole, and word (digit, part) error rate; and the time of a decode on the clean line.
 * Recordings as they were published stand in the column of that line.
 */
export function peopleTable(names: readonly string[], mistakes: (text: string) => void): string {
  const all = spoken()
  const rows = [`| recogniser | task | n | ${lineNames.join(' | ')} | ms p50 / p95 |`, `|${' --- |'.repeat(4 + lineNames.length)}`]
  for (const name of names) {
    const results = new Map(resultsOf(name).map((result) => [result.file, result]))
    for (const task of tasks) {
      const asked = all.filter((each) => each.task === task)
      const cells = lineNames.map((line) => {
        const judged = asked.flatMap((each) => {
          const result = results.get(`${line}/${each.file}`) ?? (line === 'clean' ? results.get(each.file) : undefined)
          if (result === undefined) return []
          const one = judge(each, result.text)
          if (!one.right) mistakes(`${name}, ${line}: ${each.text} -> ${result.text || '(nothing)'}`)
          return [one]
        })
        if (judged.length < asked.length) return judged.length === 0 ? '-' : `${judged.length} heard`
        const sum = (of: (one: Judged) => number): number => judged.reduce((total, one) => total + of(one), 0)
        const exact = (100 * sum((one) => Number(one.right))) / judged.length
        return `${exact.toFixed(0)} %, ${((100 * sum((one) => one.wrongWords)) / sum((one) => one.words)).toFixed(1)}`
      })
      const times = asked.flatMap(({ file }) => results.get(`clean/${file}`)?.ms ?? [])
      const { p50, p95 } = spread(times.length === 0 ? [NaN] : times)
      rows.push(`| ${name} | ${task} | ${asked.length} | ${cells.join(' | ')} | ${times.length === 0 ? '-' : `${p50} / ${p95}`} |`)
    }
  }
  return `${rows.join('\n')}\n`
}

/** Strings of digits on all lines: how many the recogniser says it is sure of, and how many of these and of the others are right. */
export function sureTable(names: readonly string[]): string {
  const strings = new Map(spoken().flatMap((each) => (each.task === 'birth' || each.task === 'telephone' ? [[each.file, each]] : [])))
  const rows = ['| recogniser | line | sure | right | others | right |', `|${' --- |'.repeat(6)}`]
  for (const name of names) {
    for (const line of lineNames) {
      const heard = resultsOf(name).flatMap(({ file, text, confidence = 0 }) => {
        const said = file.startsWith(`${line}/`) ? strings.get(file.slice(line.length + 1)) : undefined
        return said === undefined ? [] : [{ sure: confidence > 0.9, right: judge(said, text).right }]
      })
      const counts = [true, false].flatMap((sure) => {
        const some = heard.filter((one) => one.sure === sure)
        return [some.length, some.filter(({ right }) => right).length]
      })
      if (heard.length > 0) rows.push(`| ${name} | ${line} | ${counts.join(' | ')} |`)
    }
  }
  return `${rows.join('\n')}\n`
}

/** Of the stretches without speech: texts delivered to an application, and texts of the recogniser alone. */
export function nothingTable(names: readonly string[], invented: (text: string) => void): string {
  const rows = ['| recogniser | stretches | delivered | by the recogniser alone |', '| --- | --- | --- | --- |']
  for (const name of names) {
    const results = resultsOf(`${name} nothing`)
    const count = (of: string): number => {
      const some = results.filter(({ file, text }) => file.startsWith(of) && text !== '')
      for (const { file, text } of some) invented(`${name}, ${file}: ${text}`)
      return some.length
    }
    if (results.length > 0) rows.push(`| ${name} | ${results.length / 2} | ${count('delivered/')} | ${count('alone/')} |`)
  }
  return `${rows.join('\n')}\n`
}
