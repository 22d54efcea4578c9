/** Language tags (BCP 47, RFC 5646). */

/** The primary subtag in lower case: `es` of `es-US`. */
export function primarySubtag(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? ''
}
