/** Names as phones show them. */
import { readableName } from '../base/person-name.ts'

const longest = 80

/** On one line, in the order of speech, and no longer than a display. */
export function printable(name: string): string {
  return readableName(name)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
}
