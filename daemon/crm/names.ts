/** Names as phones show them. */
const longest = 80

/** On one line, and no longer than a display. */
export function printable(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
}
