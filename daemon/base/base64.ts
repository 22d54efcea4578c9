/** Files inside JSON: Base64 text as programs write it, with or without line breaks and a `data:` head. */

/** What is wrong with it; `too-large`: the file has more bytes than are allowed. */
export type Base64Fault = 'empty' | 'not-base64' | 'too-large'

export function decodeBase64(text: string, mostBytes: number): Uint8Array<ArrayBuffer> | Base64Fault {
  // Before anything looks at all of it: white space apart, four characters are three bytes.
  if (text.length > mostBytes * 2 + 1024) return 'too-large'
  const start = /^\s*data:[^,]{0,200},/.exec(text.slice(0, 300))?.[0].length ?? 0
  const compact = text.slice(start).replaceAll(/\s+/g, '')
  if (compact === '') return 'empty'
  // The padding adds nothing to the length (RFC 4648 section 3.2), and some libraries leave it out.
  const unpadded = compact.replace(/={1,2}$/, '')
  const wrong = unpadded.length < compact.length ? compact.length % 4 !== 0 : unpadded.length % 4 === 1
  if (wrong || !/^[A-Za-z0-9+/]*$/.test(unpadded)) return 'not-base64'
  if (compact.length / 4 > mostBytes / 3 + 1) return 'too-large'
  const bytes = new Uint8Array(Buffer.byteLength(compact, 'base64'))
  Buffer.from(bytes.buffer).write(compact, 'base64')
  return bytes.length > mostBytes ? 'too-large' : bytes
}
