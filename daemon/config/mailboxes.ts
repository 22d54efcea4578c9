/** The section `mailboxes`, as far as this version reads it. */

/** Numbers of the mailboxes in the configuration, whose section this version reads no further. */
export function mailboxNumbers(section: readonly unknown[] | undefined): string[] {
  return (Array.isArray(section) ? section : []).flatMap((entry: unknown) => {
    const { ext } = (entry ?? {}) as { ext?: unknown }
    return typeof ext === 'string' || typeof ext === 'number' ? [String(ext)] : []
  })
}
