/** What the system says of a file, in words for the person who named it. */

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is not there',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
}

/** The system's own words where there are no better ones. */
export function systemWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return (code === undefined ? undefined : words[code]) ?? message
}
