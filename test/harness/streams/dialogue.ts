/**
 * A server by the book: plays a written dialogue of a stream. Lines of the text, in their order:
 *   `< JSON`   waits for a frame of the box that has at least these members; audio in between is passed over
 *   `> TEXT`   sends the text as it stands, spelled as the server that is imitated spells it
 *   `= WHAT`   does what the test gave under that name, and waits for it
 *   `# ...`    says why
 * `$sid`, `$call` and `$account` stand for the ids of `start`, `$audio(N,M)` for N samples of the tone from sample M, in base64.
 */
import { asObject, type Frame } from './frames.ts'
import type { Manner, StreamSession } from './server.ts'
import { tonePiece } from './tones.ts'

export interface Told {
  readonly streamSid: string
  readonly callSid: string
  readonly accountSid: string
}

export interface Played {
  /** Resolves when the last line was done; rejects with the line that was waited for. */
  readonly done: Promise<void>
}

/** Whether every member of the pattern is in the frame. */
function fits(pattern: unknown, found: unknown): boolean {
  const [wanted, there] = [asObject(pattern), asObject(found)]
  if (wanted === undefined) return JSON.stringify(pattern) === JSON.stringify(found)
  return there !== undefined && Object.entries(wanted).every(([name, value]) => fits(value, there[name]))
}

function filled(text: string, told: Told): string {
  return text
    .replaceAll('$sid', told.streamSid)
    .replaceAll('$call', told.callSid)
    .replaceAll('$account', told.accountSid)
    .replaceAll(/\$audio\((\d+),(\d+)\)/g, (_, size: string, from: string) =>
      Buffer.from(tonePiece(Number(from), Number(size))).toString('base64'),
    )
}

/** `acts`: what `=` lines do. A dialogue is played once, by the first stream. */
export function dialogue(text: string, acts: Readonly<Record<string, (told: Told) => Promise<void>>> = {}): { manner: Manner } & Played {
  const over = Promise.withResolvers<void>()
  // A rejection that is awaited later is not unhandled.
  over.promise.catch(() => undefined)
  return { manner: (session) => void play(session, text, acts).then(over.resolve, over.reject), done: over.promise }
}

async function play(session: StreamSession, text: string, acts: Readonly<Record<string, (told: Told) => Promise<void>>>): Promise<void> {
  let at = 0
  let told: Told = { streamSid: '', callSid: '', accountSid: '' }
  for (const line of text.split('\n').filter((one) => /^[<>=] /.test(one))) {
    const rest = line.slice(2)
    if (line.startsWith('>')) session.socket.send(filled(rest, told))
    else if (line.startsWith('=')) await acts[rest.trim()]!(told)
    else {
      const pattern = JSON.parse(filled(rest, told)) as Frame
      const next = (): number => session.arrived.findIndex(({ frame }, n) => n >= at && fits(pattern, frame))
      await session.until(line, () => next() >= 0, 30_000)
      at = next() + 1
      const start = asObject(session.arrived[at - 1]!.frame['start'])
      if (start !== undefined)
        told = { streamSid: String(start['streamSid']), callSid: String(start['callSid']), accountSid: String(start['accountSid']) }
    }
  }
}
